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

placed as (

    select
        intervals.wallet,
        intervals.to_at,
        certain.product,
        certain.effect_rial,
    from certain
    inner join intervals
        on
            certain.occurred_at > intervals.from_at
            and certain.occurred_at <= intervals.to_at

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
