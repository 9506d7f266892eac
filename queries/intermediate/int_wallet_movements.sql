-- One row a thing that changed the wallet, or may have. Signed rials, its
-- effect. `certainty`: `certain` (counted at `occurred_at`), `in_transit` (a
-- queued deposit), `uncertain`. Where it is not certain when it landed,
-- `occurred_at` is null, and it lies between `possible_from` and
-- `possible_until` as far as these are known; no date is past either end of
-- the calendar. Of a certain one `latest_at` says, where it is not null, that it moved
-- the wallet then at the latest: of an adjustment or a deposit that is known by its
-- day only, of a deposit that landed some time after its request, or of a hosted
-- checkout that was seen before it was paid. `amount_rial` is the gross of the
-- record, `wage_rial` its fee, which `fee_bearer` bore, `business` or `customer`.
-- Products without methods leave the method empty; an adjustment names its kind
-- there, and its amount is its effect.
-- streamed: each reader takes a few columns of very many rows.

with

settings as (

    select * from stg_settings

),

whole_days as (

    select * from int_whole_days

),

payments as (

    select
        'payment:' || payment_id as movement_id,
        'unified' as product,
        payment_id as record_id,
        kind,
        occurred_at,
        effect_rial,
        certainty,
        possible_from,
        possible_until,
        cast(null as timestamptz) as latest_at,
        coalesce(payment_method, '') as payment_method,
        amount_rial,
        wage_rial,
        fee_bearer,
        cast(null as varchar) as iban,
        cast(null as varchar) as description,
        pull_id,
        page_no,
        position,
    from int_wallet_payments

),

deposits as (

    select
        'deposit:' || deposit_id as movement_id,
        'cash_in' as product,
        record_id,
        kind,
        occurred_at,
        effect_rial,
        certainty,
        possible_from,
        possible_until,
        latest_at,
        '' as payment_method,
        amount_rial,
        wage_rial,
        'business' as fee_bearer,
        iban,
        cast(null as varchar) as description,
        pull_id,
        page_no,
        position,
    from int_wallet_deposits

),

gateway as (

    select
        'gateway:' || requests.token as movement_id,
        'gateway' as product,
        requests.token as record_id,
        case
            when requests.verified_at is null then 'gateway_without_time'
            when requests.real_amount_rial is null then 'gateway_without_amount'
            else 'gateway_verified'
        end as kind,
        requests.verified_at as occurred_at,
        coalesce(requests.real_amount_rial, 0) as effect_rial,
        case
            when requests.verified_at is null then 'uncertain'
            else 'certain'
        end as certainty,
        requests.sent_at as possible_from,
        cast(null as timestamptz) as possible_until,
        cast(null as timestamptz) as latest_at,
        '' as payment_method,
        gateway_payments.gross_rial as amount_rial,
        requests.wage_rial,
        gateway_payments.fee_bearer,
        cast(null as varchar) as iban,
        cast(null as varchar) as description,
        requests.pull_id,
        requests.page_no,
        requests.position,
    from stg_gateway__requests as requests
    left join int_gateway_payments as gateway_payments
        on requests.token = gateway_payments.token
    where
        requests.real_amount_rial is not null
        or requests.verified_at is not null

),

hosted as (

    select
        'hosted:' || checkouts.checkout_id as movement_id,
        'hosted' as product,
        checkouts.checkout_id as record_id,
        case
            when checkouts.created_at is null then 'hosted_without_time'
            when checkouts.amount_rial is null then 'hosted_without_amount'
            else 'hosted_succeeded'
        end as kind,
        checkouts.created_at as occurred_at,
        coalesce(
            checkouts.amount_rial - coalesce(checkouts.wage_rial, 0), 0
        ) as effect_rial,
        case
            when checkouts.created_at is null then 'uncertain'
            else 'certain'
        end as certainty,
        cast(null as timestamptz) as possible_from,
        cast(null as timestamptz) as possible_until,
        case
            when hosted_payments.is_seen_waiting then hosted_payments.paid_by
        end as latest_at,
        '' as payment_method,
        checkouts.amount_rial,
        checkouts.wage_rial,
        hosted_payments.fee_bearer,
        cast(null as varchar) as iban,
        cast(null as varchar) as description,
        checkouts.pull_id,
        checkouts.page_no,
        checkouts.position,
    from stg_hosted__checkouts as checkouts
    left join int_hosted_payments as hosted_payments
        on checkouts.checkout_id = hosted_payments.checkout_id
    where checkouts.status = 'SUCCEED'

),

adjustments as (

    select
        'adjustment:' || record_hash || ':' || cast(nth as varchar)
        as movement_id,
        'wallet' as product,
        record_hash || ':' || cast(nth as varchar) as record_id,
        'adjustment' as kind,
        occurred_at,
        coalesce(amount_rial, 0) as effect_rial,
        'certain' as certainty,
        cast(null as timestamptz) as possible_from,
        cast(null as timestamptz) as possible_until,
        whole_days.ends_at as latest_at,
        coalesce(kind, '') as payment_method,
        coalesce(amount_rial, 0) as amount_rial,
        0 as wage_rial,
        cast(null as varchar) as fee_bearer,
        cast(null as varchar) as iban,
        description,
        pull_id,
        page_no,
        position,
    from stg_business__adjustments as adjustments
    left join whole_days
        on adjustments.occurred_at = whole_days.begins_at

),

together as (

    select * from payments
    union all
    select * from deposits
    union all
    select * from gateway
    union all
    select * from hosted
    union all
    select * from adjustments

),

final as (

    select
        together.movement_id,
        together.product,
        together.record_id,
        together.kind,
        together.occurred_at,
        case
            when together.occurred_at < cast('0001-01-02 00:00:00+00' as timestamptz)
                then cast('0001-01-01' as date)
            when together.occurred_at < cast('9999-12-31 00:00:00+00' as timestamptz)
                then cast(
                    together.occurred_at at time zone settings.timezone as date
                )
            when together.occurred_at is not null then cast('9999-12-31' as date)
        end as business_date,
        together.effect_rial,
        together.certainty,
        together.payment_method,
        together.amount_rial,
        together.wage_rial,
        together.fee_bearer,
        together.iban,
        together.description,
        together.pull_id,
        together.page_no,
        together.position,
        together.possible_from,
        together.possible_until,
        together.latest_at,
    from together
    cross join settings

)

select * from final
