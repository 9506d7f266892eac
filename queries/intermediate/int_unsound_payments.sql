-- One row a payment that some rule has to see whole and that its checkout still
-- lists: the checks say which rule it breaks, if any. Amounts in rials.

with

payments as (

    select * from int_sought_payments

),

unlisted as (

    select * from stg_unified__unlisted_payments

),

final as (

    select payments.*
    from payments
    anti join unlisted
        on payments.payment_id = unlisted.payment_id
    where
        payments.checkout_id is not null
        and payments.payment_id is not null

)

select * from final
