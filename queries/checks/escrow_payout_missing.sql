-- finds: an agreement that is finalized and paid, with no payout to the seller
--   after payout_after. Where event and state both say that it was finalized,
--   it was paid, though that event never came. What a refund left of it is
--   missing; all, where nothing is left.
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
        coalesce(positions.paid_rial, positions.amount_rial) as in_rial,
        case when positions.is_out_known then positions.refunded_rial else 0 end
            as back_rial,
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
        in_rial as expected,
        cast(
            case when back_rial < in_rial then back_rial else 0 end as bigint
        ) as actual,
        'The trade over {'
        || coalesce(cast(in_rial as varchar), 'an unknown amount')
        || '} was finalized {'
        || cast(waited_seconds as varchar)
        || ' seconds} ago, '
        || case
            when back_rial > 0
                then
                    '{'
                    || cast(back_rial as varchar)
                    || '} of it went back to the buyer, '
            else ''
        end
        || 'and the seller was not paid.' as detail,
    from waiting
    where waited_seconds > payout_after_seconds

)

select * from final
