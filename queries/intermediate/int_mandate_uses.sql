-- One row a debit payment, with the terms of its mandate. Amounts in rials. It
-- used the mandate when it was paid; where that is unknown, when it was
-- created.
-- streamed: each reader takes a few columns of very many rows.

with

payments as (

    select * from stg_unified__payments

),

mandates as (

    select * from stg_unified__mandates

),

debit_payments as (

    select
        payments.payment_id,
        payments.payment_method,
        payments.amount_rial,
        payments.status = 'done' as is_done,
        nullif(payments.mandate_id, '') as mandate_id,
        coalesce(payments.paid_at, payments.created_at) as used_at,
    from payments
    where payments.is_debit

),

final as (

    select
        debit_payments.payment_id,
        debit_payments.payment_method,
        debit_payments.amount_rial,
        coalesce(debit_payments.is_done, false) as is_done,
        debit_payments.mandate_id,
        debit_payments.used_at,
        mandates.mandate_id is not null as is_mandate_known,
        mandates.payment_method as mandate_payment_method,
        mandates.monthly_count,
        mandates.limit_rial,
        mandates.expires_at,
        mandates.revoked_at,
    from debit_payments
    left join mandates
        on debit_payments.mandate_id = mandates.mandate_id

)

select * from final
