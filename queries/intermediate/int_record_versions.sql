-- One row a version of a record that was met again, or may have been, after it
-- was final, in the order they were met. Amounts in rials. The newest version
-- of a compacted record is here with its figures only: it is the last one, so
-- nobody asks whether it is final. A refusal has no figures and is no version,
-- but where it says that a confirmed card payment failed.

with

superseded_payments as (

    select * from raw_payments_superseded

),

standing_payments as (

    select * from raw_payments_standing

),

standing_payment_figures as (

    select * from raw_payments_standing

),

repeated_payments as (

    select * from stg_unified__repeated_payments

),

superseded_final_payments as (

    select id from raw_payments_superseded
    where status = 'done'

),

met_again_payments as (

    select id from superseded_final_payments
    union all
    select id from repeated_payments

),

superseded_checkouts as (

    select * from raw_checkouts_superseded

),

standing_checkouts as (

    select * from raw_checkouts_standing

),

standing_checkout_figures as (

    select * from raw_checkouts_standing

),

repeated_checkouts as (

    select * from stg_unified__repeated_checkouts

),

superseded_final_checkouts as (

    select id from raw_checkouts_superseded
    where status = 'paid'

),

met_again_checkouts as (

    select id from superseded_final_checkouts
    union all
    select id from repeated_checkouts

),

payments as (

    select superseded_payments.*
    from superseded_payments
    semi join met_again_payments
        on superseded_payments.id is not distinct from met_again_payments.id
    union all
    select standing_payments.*
    from standing_payments
    semi join repeated_payments
        on standing_payments.id is not distinct from repeated_payments.id

),

checkouts as (

    select superseded_checkouts.*
    from superseded_checkouts
    semi join met_again_checkouts
        on superseded_checkouts.id is not distinct from met_again_checkouts.id
    union all
    select standing_checkouts.*
    from standing_checkouts
    semi join repeated_checkouts
        on standing_checkouts.id is not distinct from repeated_checkouts.id

),

confirmed as (

    select token
    from raw_gateway_transactions
    where code = 2

),

gateway_answers as (

    select * from raw_gateway_transactions

),

gateway_transactions as (

    select *
    from gateway_answers
    where
        error is null
        or code is not null
    union all
    select gateway_answers.*
    from gateway_answers
    semi join confirmed
        on gateway_answers.token = confirmed.token
    where
        gateway_answers.code is null
        and contains(lower(gateway_answers.error), 'transaction failed')

),

hosted_checkouts as (

    select *
    from raw_hosted_checkouts
    where
        error is null
        or status is not null

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
    union all
    select
        'unified' as product,
        'payment' as kind,
        id as record_id,
        cast(null as varchar) as related_id,
        amount as amount_rial,
        wage_amount as wage_rial,
        affected_amount as affected_rial,
        status,
        false as is_final,
        cast(null as timestamptz) as occurred_at,
        seen_at,
        pull_id,
        page_no,
        position,
    from standing_payment_figures
    semi join superseded_final_payments
        on
            standing_payment_figures.id
            is not distinct from superseded_final_payments.id
    union all
    select
        'unified' as product,
        'checkout' as kind,
        id as record_id,
        cast(null as varchar) as related_id,
        amount as amount_rial,
        cast(null as bigint) as wage_rial,
        cast(null as bigint) as affected_rial,
        status,
        false as is_final,
        cast(null as timestamptz) as occurred_at,
        seen_at,
        pull_id,
        page_no,
        position,
    from standing_checkout_figures
    semi join superseded_final_checkouts
        on
            standing_checkout_figures.id
            is not distinct from superseded_final_checkouts.id

),

-- most were final in their newest version only: nothing follows it
changed as (

    select
        product,
        kind,
        record_id,
    from versions
    group by product, kind, record_id
    having
        count(*) filter (where is_final) > 1
        or min(pull_id) filter (where is_final)
        <= max(pull_id) filter (where not is_final)

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
