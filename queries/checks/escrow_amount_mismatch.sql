-- finds: a buyer_paid_agreement whose amount is not the agreement's, or where
--   one of the two is missing. Several receipts count by what they come to
--   together, where all are known, or where it is more than the agreement's
--   already; nothing is said where they make it up to the rial. Only for events
--   that the agreement's state does not contradict.
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

receipts as (

    select
        tracking_code,
        count(distinct coalesce(receipt, data)) as receipt_count,
        count(
            distinct
            coalesce(receipt, data) || ':' || cast(amount_rial as varchar)
        ) as amount_count,
        count(*) filter (where amount_rial is null) as unknown_count,
    from events
    group by tracking_code

),

together as (

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
    inner join receipts
        on positions.tracking_code = receipts.tracking_code
    cross join settings
    where
        receipts.receipt_count > 1
        and (
            receipts.unknown_count = 0
            or positions.paid_rial > positions.amount_rial
        )
        and abs(positions.paid_rial - positions.amount_rial)
        > settings.tolerance_rial

),

-- payments in parts, each of one known amount
made_up as (

    select receipts.tracking_code
    from receipts
    inner join positions
        on receipts.tracking_code = positions.tracking_code
    where
        receipts.receipt_count > 1
        and receipts.unknown_count = 0
        and receipts.amount_count = receipts.receipt_count
        and positions.paid_rial = positions.amount_rial

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
    anti join made_up
        on events.tracking_code = made_up.tracking_code
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

    select * from together
    union all
    select others.*
    from others
    anti join together
        on others.record_id = together.record_id

)

select * from final
