-- One row a payment that its checkout still lists, as last seen. Amounts in
-- rials.
-- streamed: nearly all that were met are still listed.

with

payments as (

    select * from stg_unified__met_payments

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
