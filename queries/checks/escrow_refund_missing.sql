-- finds: an agreement that is cancelled and paid, with no refund to the buyer
--   after payout_after.
-- why: the buyer's money is held for a trade that does not take place.
-- do: ask the provider for the refund; tell the buyer.
-- severity: error
-- product: escrow
-- record: tracking_code
-- source: document 1, Endpoints, Cancel, rule 3, and Events.
-- false alarm: the refund's event was not delivered; import it.

with

positions as (

    select * from int_escrow_positions

),

settings as (

    select * from stg_settings

),

waiting as (

    select
        positions.*,
        date_diff('second', positions.cancelled_at, settings.as_of)
            as waited_seconds,
        settings.payout_after_seconds,
    from positions
    cross join settings
    where
        positions.is_paid
        and positions.is_cancelled
        and not positions.is_refunded

),

final as (

    select
        tracking_code as record_id,
        trace_id as related_id,
        cancelled_at as occurred_at,
        coalesce(paid_rial, amount_rial) as expected,
        cast(0 as bigint) as actual,
        'The trade over '
        || coalesce(
            cast(coalesce(paid_rial, amount_rial) as varchar),
            'an unknown amount'
        )
        || ' was cancelled '
        || cast(waited_seconds // 3600 as varchar)
        || ' hours ago, and the buyer was not refunded.' as detail,
    from waiting
    where waited_seconds > payout_after_seconds

)

select * from final
