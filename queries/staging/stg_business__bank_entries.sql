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
            order by pull_id, page_no, position, record_hash, nth_of_file
        ) as nth
    from earliest

),

read_before as (

    select * from entries where not is_read_further

),

read_further as (

    select * from entries where is_read_further

),

final as (

    select
        coalesce(read_before.booked_at, read_further.booked_at) as booked_at,
        coalesce(read_before.amount, read_further.amount) as amount_rial,
        coalesce(read_further.description, read_before.description)
            as description,
        coalesce(read_before.iban, read_further.iban) as iban,
        coalesce(read_before.nth, read_further.nth) as nth,
        coalesce(read_before.entry_hash, read_further.entry_hash)
            as record_hash,
        coalesce(read_before.pull_id, read_further.pull_id) as pull_id,
        coalesce(read_before.page_no, read_further.page_no) as page_no,
        coalesce(read_before.position, read_further.position) as position,
        coalesce(read_before.seen_at, read_further.seen_at) as seen_at,
    from read_before
    full join read_further
        on
            read_before.entry_hash = read_further.entry_hash
            and read_before.nth = read_further.nth

)

select * from final
