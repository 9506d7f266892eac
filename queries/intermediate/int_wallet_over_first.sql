-- One row an item that moved over the first snapshot: it counts before it and came
-- after it, or the other way round. In rials: `effect_rial` is what it moves into the
-- intervals. Not so where the wallet changed meanwhile: there it may have moved unseen.

with

explanations as (

    select * from int_wallet_explanations
    where
        solution = 1
        and kind in ('moved_in', 'moved_out')

),

snapshots as (

    select * from int_wallet_snapshots

),

first_snapshot as (

    select
        wallet,
        snapshot_at,
    from snapshots
    qualify row_number() over (order by snapshot_at, term_from, wallet) = 1

),

first_change as (

    select min(from_at) as from_at
    from int_wallet_changes
    where from_at < to_at

),

final as (

    select
        explanations.item_id,
        first_snapshot.wallet,
        first_snapshot.snapshot_at as posted_at,
        max(explanations.product) as product,
        max(explanations.record_id) as record_id,
        max(explanations.effect_rial) as effect_rial,
    from explanations
    cross join first_snapshot
    cross join first_change
    where
        first_change.from_at is null
        or explanations.to_at <= first_change.from_at
    group by
        explanations.item_id, first_snapshot.wallet, first_snapshot.snapshot_at
    having
        max(explanations.kind) = 'moved_in'
        and min(explanations.kind) = 'moved_in'

)

select * from final
