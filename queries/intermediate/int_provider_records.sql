-- One row a record of the provider that an order may stand for. Amounts in
-- rials. `sent_amount_rial` is what the business asked for. A checkout is paid
-- by its status; a card transaction once it is confirmed; an agreement from the
-- buyer's payment on, which its finalization implies, and refunded after a
-- refund. `checkout_number` is a checkout's own, as received.
-- streamed: each reader takes a few columns of very many rows.

with

checkouts as (

    select * from stg_unified__checkouts

),

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
        'unified' as product,
        checkout_id as record_id,
        -- few have a space at an end, and many are compared
        case
            when checkout_number like ' %' or checkout_number like '% '
                then nullif(trim(checkout_number), '')
            else nullif(checkout_number, '')
        end as reference,
        case
            when request_id like ' %' or request_id like '% '
                then nullif(trim(request_id), '')
            else nullif(request_id, '')
        end as other_reference,
        amount_rial as sent_amount_rial,
        coalesce(status = 'paid', false) as is_paid,
        false as is_refunded,
        coalesce(created_at, updated_at) as occurred_at,
        checkout_number,
    from checkouts
    union all
    select
        'gateway' as product,
        token as record_id,
        factor_number as reference,
        cast(null as varchar) as other_reference,
        sent_amount_rial,
        is_verified or coalesce(code = 2, false) as is_paid,
        false as is_refunded,
        occurred_at,
        cast(null as varchar) as checkout_number,
    from gateway_payments
    union all
    select
        'hosted' as product,
        checkout_id as record_id,
        checkout_number as reference,
        cast(null as varchar) as other_reference,
        sent_amount_rial,
        coalesce(status = 'SUCCEED', false) as is_paid,
        false as is_refunded,
        occurred_at,
        cast(null as varchar) as checkout_number,
    from hosted_payments
    union all
    select
        'escrow' as product,
        tracking_code as record_id,
        nullif(trim(trace_id), '') as reference,
        cast(null as varchar) as other_reference,
        amount_rial as sent_amount_rial,
        is_paid or is_finalized or is_refunded as is_paid,
        is_refunded,
        created_at as occurred_at,
        cast(null as varchar) as checkout_number,
    from positions

)

select * from final
