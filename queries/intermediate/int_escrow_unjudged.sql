-- One row an agreement of whose money no check says anything, though it may be owed to
-- somebody; of `shared`, one a payment. In rials. `why`: `held`, it was paid 90 days
-- ago or more, or a part of it went out then, and it is neither finalized nor cancelled
-- nor in dispute; `short`, it is finalized and was paid out, and less went out than
-- came in, for longer than payout_after since the last of it: the rest is the
-- provider's commission, or still owed; `shared`, a payment of another agreement has
-- the same receipt, so that one of them may not be paid; `unsized`, a payout or a
-- refund does not tell its amount, so that nobody knows what is left of it; `unheard`,
-- it ended, and no event tells that it was ever paid, nor that all of it went out, to
-- within payout_after (`name` is its state). A cancelled one that began after the first
-- event, and of which nothing went out, was not paid. What is less than 36 hours old may
-- be told of by the next delivery or reading.
-- Unknown: how long a trade may take; 90 days are taken to be long. Unknown, too:
-- whether the provider takes a commission of a trade, and whether one receipt may be of
-- several.

with

positions as (

    select * from int_escrow_positions

),

settings as (

    select * from stg_settings

),

payments as (

    select * from int_escrow_payments
    where receipt is not null

),

shared_receipts as (

    select receipt
    from payments
    group by receipt
    having count(distinct tracking_code) > 1

),

beginning as (

    select min(occurred_at) as first_event_at
    from int_escrow_events

),

held as (

    select
        'held' as why,
        'agreements' as subject,
        '' as name,
        coalesce(positions.paid_by, positions.last_out_at) as occurred_at,
        coalesce(positions.paid_rial, positions.amount_rial)
        - positions.refunded_rial
        - positions.paid_out_rial as amount_rial,
    from positions
    cross join settings
    where
        positions.is_out_known
        and not positions.is_finalized
        and not positions.is_cancelled
        and coalesce(positions.state, 'contract') = 'contract'
        and coalesce(positions.paid_rial, positions.amount_rial)
        > positions.refunded_rial + positions.paid_out_rial
        and coalesce(positions.paid_by, positions.last_out_at)
        < settings.as_of - interval 90 day

),

short as (

    select
        'short' as why,
        'agreements' as subject,
        '' as name,
        positions.last_out_at as occurred_at,
        coalesce(positions.paid_rial, positions.amount_rial)
        - positions.refunded_rial
        - positions.paid_out_rial as amount_rial,
    from positions
    cross join settings
    where
        (positions.is_paid or positions.is_payment_implied)
        and positions.is_finalized
        and not positions.is_cancelled
        and positions.is_paid_out
        and positions.is_out_known
        and coalesce(positions.paid_rial, positions.amount_rial)
        - positions.refunded_rial
        - positions.paid_out_rial > settings.tolerance_rial
        and date_diff('second', positions.last_out_at, settings.as_of)
        > settings.payout_after_seconds

),

shared as (

    select
        'shared' as why,
        'payments' as subject,
        '' as name,
        payments.told_at as occurred_at,
        coalesce(payments.amount_rial, positions.amount_rial) as amount_rial,
    from payments
    semi join shared_receipts
        on payments.receipt = shared_receipts.receipt
    left join positions
        on payments.tracking_code = positions.tracking_code

),

unsized as (

    select
        'unsized' as why,
        'trades' as subject,
        '' as name,
        last_out_at as occurred_at,
        coalesce(paid_rial, amount_rial) as amount_rial,
    from positions
    where not is_out_known

),

-- finalized ones of which their state implies a payment are escrow_event_missing's
unheard as (

    select
        'unheard' as why,
        'trades' as subject,
        coalesce(positions.state, '') as name,
        case
            when positions.is_finalized then positions.finalized_at
            else positions.cancelled_at
        end as occurred_at,
        positions.amount_rial
        - positions.refunded_rial
        - positions.paid_out_rial as amount_rial,
    from positions
    cross join beginning
    cross join settings
    where
        not positions.is_paid
        and not positions.is_payment_implied
        and positions.is_out_known
        and beginning.first_event_at is not null
        and (
            positions.last_out_at is null
            or (
                positions.amount_rial
                - positions.refunded_rial
                - positions.paid_out_rial > settings.tolerance_rial
                and date_diff('second', positions.last_out_at, settings.as_of)
                > settings.payout_after_seconds
            )
        )
        and (
            (
                positions.is_finalized
                and (
                    positions.state is distinct from 'finalize'
                    or coalesce(
                        positions.created_at <= beginning.first_event_at, true
                    )
                )
                and positions.finalized_at < settings.as_of - interval 36 hour
            )
            or (
                positions.is_cancelled
                and (
                    positions.last_out_at is not null
                    or coalesce(
                        positions.created_at <= beginning.first_event_at, true
                    )
                )
                and positions.cancelled_at < settings.as_of - interval 36 hour
            )
        )

),

final as (

    select * from held
    union all
    select * from short
    union all
    select * from shared
    union all
    select * from unsized
    union all
    select * from unheard

)

select * from final
