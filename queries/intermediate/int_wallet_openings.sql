-- One row an entry by which the journal's wallet meets the first snapshot of all, or of
-- another wallet after a change. In rials. The first is brought forward; what is not
-- compared of a change, beside what is certain to have moved meanwhile, is in suspense.

with

-- by itself, so that a period of the entries reads no other days
movements as (

    select
        occurred_at,
        effect_rial,
    from int_certain_movements
    where occurred_at is not null

),

snapshots as (

    select * from int_wallet_snapshots

),

changes as (

    select * from int_wallet_changes

),

moved as (

    select cast(coalesce(sum(effect_rial), 0) as bigint) as effect_rial
    from int_wallet_over_first

),

-- the first snapshot, less what moved before it: what moved over it is taken to have
-- been on the other side of it than it counts
first_snapshots as (

    select
        wallet,
        snapshot_at,
        balance_rial,
    from snapshots
    qualify row_number() over (order by snapshot_at, term_from, wallet) = 1

),

begun as (

    select
        'opening:' || first_snapshots.wallet as entry_id,
        first_snapshots.snapshot_at as posted_at,
        'wallet' as product,
        first_snapshots.wallet as record_id,
        'Brought forward: the first snapshot less what moved before it' as narration,
        'equity:adjustments' as counterpart,
        max(first_snapshots.balance_rial)
        - cast(coalesce(sum(movements.effect_rial), 0) as bigint)
        + max(moved.effect_rial) as effect_rial,
    from first_snapshots
    cross join moved
    left join movements
        on first_snapshots.snapshot_at >= movements.occurred_at
    group by first_snapshots.wallet, first_snapshots.snapshot_at

),

changed as (

    select
        'changed:'
        || changes.to_wallet
        || ':'
        || strftime(changes.to_at at time zone 'UTC', '%Y%m%d%H%M%S') as entry_id,
        changes.posted_at,
        'wallet' as product,
        changes.to_wallet as record_id,
        'The wallet changed: what is not compared' as narration,
        'suspense:wallet' as counterpart,
        max(changes.to_rial - changes.from_rial)
        - cast(coalesce(sum(movements.effect_rial), 0) as bigint) as effect_rial,
    from changes
    left join movements
        on
            changes.from_at < movements.occurred_at
            and changes.to_at >= movements.occurred_at
    group by changes.to_wallet, changes.to_at, changes.posted_at

),

final as (

    select * from begun
    union all
    select * from changed

)

select * from final
