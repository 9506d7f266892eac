-- One row an entry of a bank statement; signed rials, a debit is negative.
-- The n-th identical row of a later file is the n-th of an earlier one.
-- Of camt.053 and MT940 files earlier releases read less: no payer, no second text of
-- an entry. The hash of such a row begins with that of what they read; a colon and the
-- hash of all of it follow. Rows that differ in what is read since are two entries;
-- the n-th of them is the n-th that an earlier release stored, and stands in its place.

with

versions as (

    select
        *,
        case
            when contains(record_hash, ':') then substring(record_hash, 1, 32)
            else record_hash
        end as entry_hash,
        coalesce(contains(record_hash, ':'), false) as is_read_further,
    from raw_bank_statement

),

numbered as (

    select
        *,
        row_number() over (
            partition by record_hash, pull_id, page_no
            order by position
        ) as nth_of_file
    from versions

),

earliest as (

    select *
    from numbered
    qualify row_number() over (
        partition by record_hash, nth_of_file
        order by pull_id, page_no
    ) = 1

),

entries as (

    select
        *,
        row_number() over (
            partition by entry_hash, is_read_further
            order by pull_id, page_no, position, nth_of_file
        ) as nth
    from earliest

),

readings as (

    select
        *,
        lag(pull_id) over (
            partition by entry_hash, nth
            order by is_read_further
        ) as earlier_pull_id,
        lag(page_no) over (
            partition by entry_hash, nth
            order by is_read_further
        ) as earlier_page_no,
        lag(position) over (
            partition by entry_hash, nth
            order by is_read_further
        ) as earlier_position,
        lag(seen_at) over (
            partition by entry_hash, nth
            order by is_read_further
        ) as earlier_seen_at,
        row_number() over (
            partition by entry_hash, nth
            order by is_read_further desc
        ) as nth_newest
    from entries

),

final as (

    select
        booked_at,
        amount as amount_rial,
        description,
        iban,
        nth,
        entry_hash as record_hash,
        coalesce(earlier_pull_id, pull_id) as pull_id,
        coalesce(earlier_page_no, page_no) as page_no,
        coalesce(earlier_position, position) as position,
        coalesce(earlier_seen_at, seen_at) as seen_at,
    from readings
    where nth_newest = 1

)

select * from final
