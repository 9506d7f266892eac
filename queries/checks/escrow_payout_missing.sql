-- finds: an agreement that is finalized and paid, with no payout to the seller
--   after payout_after. Where event and state both say that it was finalized,
--   it was paid, though that event never came.
-- why: the seller waits for money that the buyer has released.
-- do: ask the provider for the payout; tell the seller.
-- severity: error
-- product: escrow
-- record: tracking_code
-- source: document 1, States and transitions (finalize) and Events.
-- false alarm: the payout's event was not delivered; import it.

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
        date_diff('second', positions.finalized_at, settings.as_of)
            as waited_seconds,
        settings.payout_after_seconds,
    from positions
    cross join settings
    where
        (positions.is_paid or positions.is_payment_implied)
        and positions.is_finalized
        and not positions.is_paid_out

),

final as (

    select
        tracking_code as record_id,
        trace_id as related_id,
        finalized_at as occurred_at,
        coalesce(paid_rial, amount_rial) as expected,
        cast(0 as bigint) as actual,
        'The trade over {'
        || coalesce(
            cast(coalesce(paid_rial, amount_rial) as varchar),
            'an unknown amount'
        )
        || '} was finalized {'
        || cast(waited_seconds as varchar)
        || ' seconds} ago, and the seller was not paid.' as detail,
    from waiting
    where waited_seconds > payout_after_seconds

)

select * from final
