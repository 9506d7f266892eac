-- One row a debit payment that its mandate may not allow, as far as the payment
-- and its mandate tell alone. Amounts in rials. The checks say which rule it
-- is.

with

payments as (

    select * from int_unsound_payments
    where is_debit

),

mandates as (

    select * from stg_unified__mandates

),

used as (

    select
        payment_id,
        payment_method,
        amount_rial,
        coalesce(status = 'done', false) as is_done,
        nullif(mandate_id, '') as mandate_id,
        coalesce(paid_at, created_at) as used_at,
        seen_at,
    from payments

),

final as (

    select
        used.payment_id,
        used.payment_method,
        used.amount_rial,
        used.is_done,
        used.mandate_id,
        used.used_at,
        used.seen_at,
        mandates.mandate_id is not null as is_mandate_known,
        mandates.payment_method as mandate_payment_method,
        mandates.limit_rial,
        mandates.expires_at,
        mandates.revoked_at,
    from used
    left join mandates
        on used.mandate_id = mandates.mandate_id

)

select * from final
