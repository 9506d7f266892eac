-- One row an interval: what certainly moved in it, by product. Amounts in
-- rials.

with

intervals as (

    select * from int_wallet_intervals

),

certain as (

    select
        product,
        occurred_at,
        effect_rial,
    from int_wallet_movements
    where
        certainty = 'certain'
        and occurred_at is not null
    union all
    select
        'unified' as product,
        occurred_at,
        amount as effect_rial,
    from raw_cleared_movements

),

dates as (

    select * from stg_dates

),

-- days of UTC; what lies outside of the calendar is of its first or last day
dated_intervals as (

    select
        wallet,
        from_at,
        to_at,
        least(
            greatest(
                cast(from_at at time zone 'UTC' as date),
                cast('1970-01-01' as date)
            ),
            cast('2147-12-18' as date)
        ) as from_day,
        least(
            greatest(
                cast(to_at at time zone 'UTC' as date),
                cast('1970-01-01' as date)
            ),
            cast('2147-12-18' as date)
        ) as to_day,
    from intervals

),

span as (

    select
        min(from_day) as first_day,
        max(to_day) as last_day,
    from dated_intervals

),

days_of_span as (

    select dates.business_date as day
    from dates
    inner join span
        on
            dates.business_date >= span.first_day
            and dates.business_date <= span.last_day

),

-- distinct as it is; it says so, to be computed before the movements are joined
interval_days as (

    select distinct
        dated_intervals.wallet,
        dated_intervals.from_at,
        dated_intervals.to_at,
        days_of_span.day,
    from dated_intervals
    inner join days_of_span
        on
            dated_intervals.from_day <= days_of_span.day
            and dated_intervals.to_day >= days_of_span.day

),

dated as (

    select
        product,
        occurred_at,
        effect_rial,
        least(
            greatest(
                cast(occurred_at at time zone 'UTC' as date),
                cast('1970-01-01' as date)
            ),
            cast('2147-12-18' as date)
        ) as day,
    from certain

),

-- a movement meets the few intervals of its day, not all of them
placed as (

    select
        interval_days.wallet,
        interval_days.to_at,
        dated.product,
        dated.effect_rial,
    from dated
    inner join interval_days
        on
            dated.day = interval_days.day
            and dated.occurred_at > interval_days.from_at
            and dated.occurred_at <= interval_days.to_at

),

summed as (

    select
        wallet,
        to_at,
        sum(effect_rial) filter (where product = 'unified') as payments_rial,
        sum(effect_rial) filter (where product = 'gateway') as gateway_rial,
        sum(effect_rial) filter (where product = 'hosted') as hosted_rial,
        sum(effect_rial) filter (where product = 'cash_in') as deposits_rial,
        sum(effect_rial) filter (where product = 'wallet')
        as adjustments_rial,
    from placed
    group by wallet, to_at

),

final as (

    select
        intervals.wallet,
        intervals.from_at,
        intervals.to_at,
        intervals.opening_rial,
        cast(coalesce(summed.payments_rial, 0) as bigint) as payments_rial,
        cast(coalesce(summed.gateway_rial, 0) as bigint) as gateway_rial,
        cast(coalesce(summed.hosted_rial, 0) as bigint) as hosted_rial,
        cast(coalesce(summed.deposits_rial, 0) as bigint) as deposits_rial,
        cast(coalesce(summed.adjustments_rial, 0) as bigint)
        as adjustments_rial,
        intervals.closing_rial,
    from intervals
    left join summed
        on
            intervals.wallet = summed.wallet
            and intervals.to_at = summed.to_at

)

select * from final
