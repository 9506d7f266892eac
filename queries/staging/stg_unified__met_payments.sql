-- One row a payment, as last seen, whether its checkout lists it or not. In
-- rials. One that names a mandate is a debit payment, unless it is credit or card:
-- Unknown: types beyond the three that the contract shows.
-- streamed: most have one version, and are read as they lie in the lake.

with

versions as (

    select * from raw_payments_standing

),

repeated as (

    select * from stg_unified__repeated_payments

),

newest as (

    select * from stg_unified__newest_payments

),

single as (

    select
        versions.id,
        versions.checkout_id,
        versions.payment_method,
        versions.amount,
        versions.wage_amount,
        versions.affected_amount,
        versions.ref_id,
        versions.tracking_code,
        versions.status,
        versions.error_code,
        versions.error_message,
        versions.created_at,
        versions.updated_at,
        versions.paid_at,
        versions.type,
        versions.mandate_id,
        versions.pull_id,
        versions.page_no,
        versions.position,
        versions.seen_at,
    from versions
    anti join repeated
        on versions.id is not distinct from repeated.id

),

latest as (

    select * from single
    union all
    select * from newest

),

final as (

    select
        id as payment_id,
        checkout_id,
        payment_method,
        amount as amount_rial,
        wage_amount as wage_rial,
        affected_amount as affected_rial,
        ref_id,
        tracking_code,
        status,
        error_code,
        error_message,
        created_at,
        updated_at,
        paid_at,
        type,
        mandate_id,
        case
            when type = 'debit' then true
            when type in ('credit', 'card') then false
            else coalesce(mandate_id <> '', false)
        end as is_debit,
        pull_id,
        page_no,
        position,
        seen_at,
    from latest

)

select * from final
