-- One row a record of the gateway, the hosted page or escrow that an order may
-- stand for. Amounts in rials. `sent_amount_rial` is what the business asked for.
-- A card transaction is paid once it is confirmed; an agreement from the buyer's
-- payment on, which its finalization implies, and refunded after a refund.
-- `updated_at` is when it was paid, where that is known, else when it began; of the
-- hosted page, when it was paid at the latest.

with

gateway_payments as (

    select * from int_gateway_payments

),

hosted_payments as (

    select * from int_hosted_payments

),

positions as (

    select * from int_escrow_positions

),

final as (

    select
        'gateway' as product,
        token as record_id,
        factor_number as reference,
        sent_amount_rial,
        is_verified or coalesce(code = 2, false) as is_paid,
        false as is_refunded,
        occurred_at,
        greatest(occurred_at, verified_at) as updated_at,
    from gateway_payments
    union all
    select
        'hosted' as product,
        checkout_id as record_id,
        checkout_number as reference,
        sent_amount_rial,
        coalesce(status = 'SUCCEED', false) as is_paid,
        false as is_refunded,
        occurred_at,
        greatest(occurred_at, paid_by) as updated_at,
    from hosted_payments
    union all
    select
        'escrow' as product,
        tracking_code as record_id,
        nullif(trim(trace_id), '') as reference,
        amount_rial as sent_amount_rial,
        is_paid or is_finalized or is_refunded as is_paid,
        is_refunded,
        created_at as occurred_at,
        coalesce(paid_by, created_at) as updated_at,
    from positions

)

select * from final
