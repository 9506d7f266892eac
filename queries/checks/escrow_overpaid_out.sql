-- finds: an agreement whose refunds and payouts together exceed what the buyer
--   paid. Where the payment's event never came, the buyer paid the agreement's
--   amount; what is not known counts as nothing.
-- why: the escrow account gave out more than it holds for this trade; somebody
--   will have to give it back.
-- do: stop further payouts of the trade, and ask the provider which one is
--   wrong.
-- severity: critical
-- product: escrow
-- record: tracking_code
-- source: document 1, Events (payment_refunded_to_buyer, seller_checked_out).

with

positions as (

    select * from int_escrow_positions

),

settings as (

    select * from stg_settings

),

summed as (

    select
        positions.*,
        positions.refunded_rial + positions.paid_out_rial as out_rial,
        case
            when positions.is_paid then positions.paid_rial
            else positions.amount_rial
        end as known_rial,
        settings.tolerance_rial,
    from positions
    cross join settings

),

final as (

    select
        tracking_code as record_id,
        trace_id as related_id,
        coalesce(last_out_at, created_at) as occurred_at,
        coalesce(known_rial, 0) as expected,
        out_rial as actual,
        'Refunds of {'
        || cast(refunded_rial as varchar)
        || '} and payouts of {'
        || cast(paid_out_rial as varchar)
        || coalesce(
            '} exceed the {' || cast(known_rial as varchar) || '} that',
            '}, and nobody knows what'
        )
        || ' the buyer paid.' as detail,
    from summed
    where out_rial - coalesce(known_rial, 0) > tolerance_rial

)

select * from final
