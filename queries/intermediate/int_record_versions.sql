-- One row a version of a record that was met in several, in the order they were
-- met; of a record whose versions are all compacted, only where one was final
-- before its newest. Amounts in rials.

with

every_payment as (

    select * from raw_payments

),

repeated_payments as (

    select id from stg_unified__repeated_payments
    union all
    select id from raw_payments_superseded
    where status = 'done'

),

every_checkout as (

    select * from raw_checkouts

),

repeated_checkouts as (

    select id from stg_unified__repeated_checkouts
    union all
    select id from raw_checkouts_superseded
    where status = 'paid'

),

payments as (

    select every_payment.*
    from every_payment
    semi join repeated_payments
        on every_payment.id is not distinct from repeated_payments.id

),

checkouts as (

    select every_checkout.*
    from every_checkout
    semi join repeated_checkouts
        on every_checkout.id is not distinct from repeated_checkouts.id

),

gateway_transactions as (

    select * from raw_gateway_transactions

),

hosted_checkouts as (

    select * from raw_hosted_checkouts

),

versions as (

    select
        'unified' as product,
        'payment' as kind,
        id as record_id,
        checkout_id as related_id,
        amount as amount_rial,
        wage_amount as wage_rial,
        affected_amount as affected_rial,
        status,
        coalesce(status = 'done', false) as is_final,
        coalesce(paid_at, created_at) as occurred_at,
        seen_at,
        pull_id,
        page_no,
        position,
    from payments
    union all
    select
        'unified' as product,
        'checkout' as kind,
        id as record_id,
        request_id as related_id,
        amount as amount_rial,
        cast(null as bigint) as wage_rial,
        cast(null as bigint) as affected_rial,
        status,
        coalesce(status = 'paid', false) as is_final,
        coalesce(created_at, updated_at) as occurred_at,
        seen_at,
        pull_id,
        page_no,
        position,
    from checkouts
    union all
    select
        'gateway' as product,
        'transaction' as kind,
        token as record_id,
        trans_id as related_id,
        amount as amount_rial,
        cast(null as bigint) as wage_rial,
        cast(null as bigint) as affected_rial,
        cast(code as varchar) as status,
        coalesce(code in (2, 4), false) as is_final,
        coalesce(payment_date, created_at) as occurred_at,
        seen_at,
        pull_id,
        page_no,
        position,
    from gateway_transactions
    union all
    select
        'hosted' as product,
        'checkout' as kind,
        id as record_id,
        checkout_number as related_id,
        amount as amount_rial,
        wage as wage_rial,
        cast(null as bigint) as affected_rial,
        status,
        coalesce(status in ('SUCCEED', 'FAILED'), false) as is_final,
        created_at as occurred_at,
        seen_at,
        pull_id,
        page_no,
        position,
    from hosted_checkouts

),

changed as (

    select
        product,
        kind,
        record_id,
    from versions
    group by product, kind, record_id
    having count(*) > 1

),

final as (

    select
        versions.*,
        row_number() over (
            partition by versions.product, versions.kind, versions.record_id
            order by versions.pull_id, versions.page_no, versions.position
        ) as version,
    from versions
    semi join changed
        on
            versions.product = changed.product
            and versions.kind = changed.kind
            and versions.record_id = changed.record_id

)

select * from final
