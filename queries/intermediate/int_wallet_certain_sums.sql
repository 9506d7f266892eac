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

),

dates as (

    select * from stg_dates

),

-- days since 1970; what lies outside of the calendar is of its first or last
-- day
numbered_intervals as (

    select
        wallet,
        from_at,
        to_at,
        least(
            greatest(
                date_diff(
                    'second',
                    cast('1970-01-01 00:00:00+00' as timestamptz),
                    from_at
                ) // 86400,
                0
            ),
            65000
        )
            as from_day,
        least(
            greatest(
                date_diff(
                    'second',
                    cast('1970-01-01 00:00:00+00' as timestamptz),
                    to_at
                ) // 86400,
                0
            ),
            65000
        )
            as to_day,
    from intervals

),

span as (

    select
        min(from_day) as first_day,
        max(to_day) as last_day,
    from numbered_intervals

),

days as (

    select
        date_diff(
            'day',
            cast('1970-01-01' as date),
            cast(dates.business_date as date)
        ) as day,
    from dates

),

days_of_span as (

    select days.day
    from days
    inner join span
        on
            days.day >= span.first_day
            and days.day <= span.last_day

),

-- distinct as it is; it says so, to be computed before the movements are joined
interval_days as (

    select distinct
        numbered_intervals.wallet,
        numbered_intervals.from_at,
        numbered_intervals.to_at,
        days_of_span.day,
    from numbered_intervals
    inner join days_of_span
        on
            numbered_intervals.from_day <= days_of_span.day
            and numbered_intervals.to_day >= days_of_span.day

),

numbered as (

    select
        product,
        occurred_at,
        effect_rial,
        least(
            greatest(
                date_diff(
                    'second',
                    cast('1970-01-01 00:00:00+00' as timestamptz),
                    occurred_at
                ) // 86400,
                0
            ),
            65000
        )
            as day,
    from certain

),

-- a movement meets the few intervals of its day, not all of them
placed as (

    select
        interval_days.wallet,
        interval_days.to_at,
        numbered.product,
        numbered.effect_rial,
    from numbered
    inner join interval_days
        on
            numbered.day = interval_days.day
            and numbered.occurred_at > interval_days.from_at
            and numbered.occurred_at <= interval_days.to_at

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
