-- finds: a certain record whose wage is not what the imported tariff gives, or
--   which lacks the wage or the amount: min(max(floor(amount × rate_bps /
--   10000) + fixed, minimum), maximum). Where the amount of a gateway
--   transaction or hosted checkout holds a wage that the customer bears, it may
--   be the wage of the amount with it or without it.
-- why: the provider charges more, or less, than was agreed.
-- do: ask for the difference back, or import the tariff that holds by now.
-- severity: error
-- product: every
-- record: payment id, transId, hosted id, gateway_transaction_id
-- source: document 3, Payment (wage_amount); document 2, A, B and C (wage).
-- false alarm: a new tariff was agreed and not yet imported.

with

wages as (

    select * from int_wages

),

settings as (

    select * from stg_settings

),

final as (

    select
        wages.product,
        wages.record_id,
        wages.related_id,
        wages.occurred_at,
        wages.expected_wage_rial as expected,
        wages.wage_rial as actual,
        'The wage of {'
        || coalesce(cast(wages.base_rial as varchar), 'an unknown amount')
        || '} is {'
        || coalesce(cast(wages.wage_rial as varchar), 'unknown')
        || '}, the tariff gives {'
        || coalesce(cast(wages.expected_wage_rial as varchar), 'none')
        || '}.' as detail,
    from wages
    cross join settings
    where
        wages.has_tariff
        and coalesce(
            abs(wages.wage_rial - wages.expected_wage_rial)
            > settings.tolerance_rial,
            true
        )
    qualify row_number() over (
        partition by wages.product, wages.record_id
        order by
            wages.related_id,
            wages.occurred_at,
            wages.base_rial,
            wages.wage_rial
    ) = 1

)

select * from final
