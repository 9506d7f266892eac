-- One row an entry of a bank statement; signed rials, a debit is negative.
-- The n-th identical row of a later file is the n-th of an earlier one.

with

versions as (

    select * from raw_bank_statement

),

numbered as (

    select
        *,
        row_number() over (
            partition by record_hash, pull_id, page_no
            order by position
        ) as nth
    from versions

),

earliest as (

    select *
    from numbered
    qualify row_number() over (
        partition by record_hash, nth
        order by pull_id, page_no
    ) = 1

),

final as (

    select
        booked_at,
        amount as amount_rial,
        description,
        iban,
        nth,
        record_hash,
        pull_id,
        page_no,
        position,
        seen_at,
    from earliest

)

select * from final
