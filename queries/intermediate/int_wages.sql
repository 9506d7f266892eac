-- One row a certain record that bears a wage, with the wage that the imported
-- tariff gives. Amounts in rials. A named method goes before `*`, then the
-- latest first day at the record's time. The amount is taken apart so that no
-- product of it leaves 64 bits.

with

payments as (

    select * from stg_unified__payments

),

gateway_payments as (

    select * from int_gateway_payments

),

hosted_payments as (

    select * from int_hosted_payments

),

deposits as (

    select * from stg_cash_in__deposits

),

tariff as (

    select * from stg_business__tariff

),

records as (

    select
        'unified' as product,
        payment_id as record_id,
        checkout_id as related_id,
        payment_method,
        coalesce(paid_at, created_at) as occurred_at,
        amount_rial,
        wage_rial,
    from payments
    where status = 'done'
    union all
    select
        'gateway' as product,
        record_id,
        token as related_id,
        cast(null as varchar) as payment_method,
        coalesce(verified_at, occurred_at) as occurred_at,
        coalesce(amount_rial, sent_amount_rial) as amount_rial,
        wage_rial,
    from gateway_payments
    where is_verified
    union all
    select
        'hosted' as product,
        checkout_id as record_id,
        checkout_number as related_id,
        cast(null as varchar) as payment_method,
        occurred_at,
        amount_rial,
        wage_rial,
    from hosted_payments
    where status = 'SUCCEED'
    union all
    select
        'cash_in' as product,
        gateway_transaction_id as record_id,
        track_id as related_id,
        cast(null as varchar) as payment_method,
        coalesce(settled_at, requested_at) as occurred_at,
        amount_rial,
        wage_rial,
    from deposits
    where
        is_settled
        and outcome <> 'unknown'

),

-- a line of the tariff without a first day holds since ever
offers as (

    select
        records.product,
        records.record_id,
        records.related_id,
        tariff.rate_bps,
        tariff.fixed_rial,
        tariff.minimum_rial,
        tariff.maximum_rial,
    from records
    inner join tariff
        on
            records.product = tariff.product
            and (
                coalesce(tariff.payment_method, '*') = '*'
                or records.payment_method = tariff.payment_method
            )
            and (
                tariff.valid_from is null
                or records.occurred_at >= tariff.valid_from
            )
    qualify row_number() over (
        partition by records.product, records.record_id, records.related_id
        order by
            case
                when coalesce(tariff.payment_method, '*') = '*' then 1 else 0
            end,
            tariff.valid_from desc nulls last,
            tariff.pull_id desc,
            tariff.page_no desc,
            tariff.position desc
    ) = 1

),

rated as (

    select
        records.*,
        offers.record_id is not null as has_tariff,
        (records.amount_rial // 10000) * offers.rate_bps
        + ((records.amount_rial % 10000) * offers.rate_bps) // 10000
        + coalesce(offers.fixed_rial, 0) as rated_rial,
        offers.minimum_rial,
        offers.maximum_rial,
    from records
    left join offers
        on
            records.product = offers.product
            and records.record_id = offers.record_id
            and records.related_id is not distinct from offers.related_id

),

raised as (

    select
        *,
        case
            when rated_rial < minimum_rial then minimum_rial
            else rated_rial
        end as raised_rial,
    from rated

),

final as (

    select
        product,
        record_id,
        related_id,
        payment_method,
        occurred_at,
        amount_rial,
        wage_rial,
        has_tariff,
        case
            when raised_rial > maximum_rial then maximum_rial
            else raised_rial
        end as expected_wage_rial,
    from raised

)

select * from final
