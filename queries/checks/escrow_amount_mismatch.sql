-- finds: a buyer_paid_agreement whose amount is not the agreement's, or where
--   one of the two is missing; and payments of several receipts that come to
--   more than it. Only for events that the agreement's state does not
--   contradict.
-- why: the buyer paid another price than both parties agreed to.
-- do: read the agreement, and settle the difference before it is finalized.
-- severity: critical
-- product: escrow
-- record: tracking_code
-- source: document 1, Events (buyer_paid_agreement) and Resources, Agreement.

with

events as (

    select * from int_escrow_events
    where
        is_corroborated
        and event_type = 'buyer_paid_agreement'

),

agreements as (

    select * from stg_escrow__agreements

),

settings as (

    select * from stg_settings

),

positions as (

    select * from int_escrow_positions

),

others as (

    select
        agreements.tracking_code as record_id,
        agreements.trace_id as related_id,
        events.occurred_at,
        agreements.amount_rial as expected,
        events.amount_rial as actual,
        'The buyer paid {'
        || coalesce(cast(events.amount_rial as varchar), 'an unknown amount')
        || '} for an agreement over {'
        || coalesce(
            cast(agreements.amount_rial as varchar), 'an unknown amount'
        )
        || '}.' as detail,
    from events
    inner join agreements
        on events.tracking_code = agreements.tracking_code
    cross join settings
    where
        coalesce(
            abs(events.amount_rial - agreements.amount_rial)
            > settings.tolerance_rial,
            true
        )
    qualify row_number() over (
        partition by agreements.tracking_code
        order by events.occurred_at, events.amount_rial
    ) = 1

),

final as (

    select * from others
    union all
    select
        positions.tracking_code as record_id,
        positions.trace_id as related_id,
        positions.paid_at as occurred_at,
        positions.amount_rial as expected,
        positions.paid_rial as actual,
        'The buyer paid more than once, {'
        || cast(positions.paid_rial as varchar)
        || '} together, for an agreement over {'
        || cast(positions.amount_rial as varchar)
        || '}.' as detail,
    from positions
    cross join settings
    anti join others
        on positions.tracking_code = others.record_id
    where positions.paid_rial - positions.amount_rial > settings.tolerance_rial

)

select * from final
