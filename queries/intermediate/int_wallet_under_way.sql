-- One row an item that no snapshot of the wallet has yet: it left the interval in which
-- it counts, came to none, and may have moved after the last snapshot. In rials. Not so
-- where the wallet changed meanwhile: there it may have moved unseen.

with

explanations as (

    select * from int_wallet_explanations
    where
        solution = 1
        and kind in ('moved_in', 'moved_out')

),

last_snapshot as (

    select max(to_at) as to_at
    from int_wallet_rests

),

last_change as (

    select max(to_at) as to_at
    from int_wallet_changes
    where from_at < to_at

),

final as (

    select
        explanations.item_id,
        max(explanations.wallet) as wallet,
        max(explanations.product) as product,
        max(explanations.record_id) as record_id,
        max(explanations.latest_at) as latest_at,
        max(explanations.effect_rial) as effect_rial,
    from explanations
    cross join last_snapshot
    cross join last_change
    where
        last_change.to_at is null
        or explanations.to_at > last_change.to_at
    group by explanations.item_id, last_snapshot.to_at
    having
        max(explanations.kind) = 'moved_out'
        and min(explanations.kind) = 'moved_out'
        and max(explanations.latest_at) > last_snapshot.to_at

)

select * from final
