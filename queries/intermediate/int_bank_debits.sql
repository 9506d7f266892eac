-- One row a debit on a bank account of the business. `debit_rial` is positive.

with

lines as (

    select * from int_bank_lines

),

final as (

    select
        line_id as debit_id,
        iban,
        booked_at,
        business_date,
        -amount_rial as debit_rial,
        at_latest,
        is_provider_named,
    from lines
    where amount_rial < 0

)

select * from final
