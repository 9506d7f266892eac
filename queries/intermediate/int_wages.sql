-- One row a done record that bears a wage, with the wage that the imported
-- tariff gives. Amounts in rials. A named method goes before `*`, then the
-- latest first day at the record's time. `base_rial` is what the wage is reckoned
-- on: the amount; or, where that holds a wage that the customer bears and the
-- tariff does not give this wage for it, to within the tolerance, the amount less
-- the wage. Which of the two the provider takes is not shown. Amounts are taken
-- apart so that no product of them leaves 64 bits.
-- streamed: each reader takes a few columns of very many rows.

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

    select *
    from int_deposit_entries
    where
        is_counted
        and is_settled

),

tariff as (

    select * from stg_business__tariff

),

settings as (

    select * from stg_settings

),

verified_payments as (

    select
        *,
        case
            when fee_bearer = 'customer'
                then coalesce(wage_rial, 0)
            else 0
        end as added_rial,
    from gateway_payments
    where is_verified

),

succeeded_checkouts as (

    select
        *,
        case
            when fee_bearer = 'customer'
                then coalesce(wage_rial, 0)
            else 0
        end as added_rial,
    from hosted_payments
    where status = 'SUCCEED'

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
        amount_rial as sold_rial,
    from payments
    where status = 'done'
    union all
    select
        'gateway' as product,
        record_id,
        token as related_id,
        cast(null as varchar) as payment_method,
        coalesce(verified_at, occurred_at) as occurred_at,
        gross_rial as amount_rial,
        wage_rial,
        gross_rial - added_rial as sold_rial,
    from verified_payments
    union all
    select
        'hosted' as product,
        checkout_id as record_id,
        checkout_number as related_id,
        cast(null as varchar) as payment_method,
        occurred_at,
        amount_rial,
        wage_rial,
        amount_rial - added_rial as sold_rial,
    from succeeded_checkouts
    union all
    select
        'cash_in' as product,
        record_id,
        track_id as related_id,
        cast(null as varchar) as payment_method,
        coalesce(settled_at, requested_at) as occurred_at,
        amount_rial,
        wage_rial,
        amount_rial as sold_rial,
    from deposits

),

-- a line of the tariff without a first day holds since ever
lines as (

    select
        product,
        coalesce(payment_method, '*') as payment_method,
        rate_bps,
        fixed_rial,
        minimum_rial,
        maximum_rial,
        coalesce(valid_from, cast('1900-01-01 00:00:00+00' as timestamptz))
            as valid_from,
    from tariff
    qualify row_number() over (
        partition by product, coalesce(payment_method, '*'), valid_from
        order by pull_id desc, page_no desc, position desc
    ) = 1

),

named_spans as (

    select
        *,
        coalesce(
            lead(valid_from) over (
                partition by product, payment_method
                order by valid_from
            ),
            cast('2900-01-01 00:00:00+00' as timestamptz)
        ) as valid_until,
    from lines
    where payment_method <> '*'

),

other_spans as (

    select
        *,
        coalesce(
            lead(valid_from) over (
                partition by product
                order by valid_from
            ),
            cast('2900-01-01 00:00:00+00' as timestamptz)
        ) as valid_until,
    from lines
    where payment_method = '*'

),

offered as (

    select
        records.*,
        named_spans.product is not null
        or other_spans.product is not null as has_tariff,
        case
            when named_spans.product is not null then named_spans.rate_bps
            else other_spans.rate_bps
        end as rate_bps,
        case
            when named_spans.product is not null then named_spans.fixed_rial
            else other_spans.fixed_rial
        end as fixed_rial,
        case
            when named_spans.product is not null then named_spans.minimum_rial
            else other_spans.minimum_rial
        end as minimum_rial,
        case
            when named_spans.product is not null then named_spans.maximum_rial
            else other_spans.maximum_rial
        end as maximum_rial,
    from records
    left join named_spans
        on
            records.product = named_spans.product
            and records.payment_method = named_spans.payment_method
            and records.occurred_at >= named_spans.valid_from
            and records.occurred_at < named_spans.valid_until
    left join other_spans
        on
            records.product = other_spans.product
            and records.occurred_at >= other_spans.valid_from
            and records.occurred_at < other_spans.valid_until

),

rated as (

    select
        *,
        (amount_rial // 10000) * rate_bps
        + ((amount_rial % 10000) * rate_bps) // 10000
        + coalesce(fixed_rial, 0) as rated_rial,
        (sold_rial // 10000) * rate_bps
        + ((sold_rial % 10000) * rate_bps) // 10000
        + coalesce(fixed_rial, 0) as rated_sold_rial,
    from offered

),

raised as (

    select
        *,
        case
            when rated_rial < minimum_rial then minimum_rial
            else rated_rial
        end as raised_rial,
        case
            when rated_sold_rial < minimum_rial then minimum_rial
            else rated_sold_rial
        end as raised_sold_rial,
    from rated

),

given as (

    select
        *,
        case
            when raised_rial > maximum_rial then maximum_rial
            else raised_rial
        end as given_rial,
        case
            when raised_sold_rial > maximum_rial then maximum_rial
            else raised_sold_rial
        end as given_sold_rial,
    from raised

),

judged as (

    select
        given.*,
        abs(given.given_rial - given.wage_rial)
        <= least(
            settings.tolerance_rial,
            abs(given.given_sold_rial - given.wage_rial)
        ) as is_on_amount,
    from given
    cross join settings

),

final as (

    select
        product,
        record_id,
        related_id,
        payment_method,
        occurred_at,
        amount_rial,
        case when is_on_amount then amount_rial else sold_rial end as base_rial,
        wage_rial,
        has_tariff,
        case
            when is_on_amount then given_rial
            else given_sold_rial
        end as expected_wage_rial,
    from judged

)

select * from final
