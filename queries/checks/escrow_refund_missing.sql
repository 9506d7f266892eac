-- finds: an agreement that is cancelled and paid, with no refund to the buyer
--   after payout_after; and one that was refunded in part, where the rest went
--   to nobody for so long after the last refund or payout. What a payout to the
--   seller left is missing; all, where nothing is left.
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

cancelled as (

    select
        tracking_code,
        trace_id,
        is_refunded,
        is_out_known,
        paid_out_rial,
        coalesce(paid_rial, amount_rial) as in_rial,
        case
            when is_refunded then refunded_rial + paid_out_rial
            when
                is_out_known
                and paid_out_rial < coalesce(paid_rial, amount_rial)
                then paid_out_rial
            else 0
        end as out_rial,
        case
            when is_refunded then greatest(cancelled_at, last_out_at)
            else cancelled_at
        end as since,
    from positions
    where
        is_paid
        and is_cancelled

),

waiting as (

    select
        cancelled.*,
        date_diff('second', cancelled.since, settings.as_of) as waited_seconds,
        settings.payout_after_seconds,
    from cancelled
    cross join settings
    where
        not cancelled.is_refunded
        or (
            cancelled.is_out_known
            and cancelled.in_rial - cancelled.out_rial > settings.tolerance_rial
        )

),

final as (

    select
        tracking_code as record_id,
        trace_id as related_id,
        since as occurred_at,
        in_rial as expected,
        cast(out_rial as bigint) as actual,
        'The trade over {'
        || coalesce(cast(in_rial as varchar), 'an unknown amount')
        || case
            when is_refunded
                then
                    '} was cancelled and refunded in part; {'
                    || cast(in_rial - out_rial as varchar)
                    || '} are held {'
                    || cast(waited_seconds as varchar)
                    || ' seconds} later.'
            else
                '} was cancelled {'
                || cast(waited_seconds as varchar)
                || ' seconds} ago, '
                || case
                    when is_out_known and paid_out_rial > 0
                        then
                            '{'
                            || cast(paid_out_rial as varchar)
                            || '} of it went to the seller, '
                    else ''
                end
                || 'and the buyer was not refunded.'
        end as detail,
    from waiting
    where waited_seconds > payout_after_seconds

)

select * from final
