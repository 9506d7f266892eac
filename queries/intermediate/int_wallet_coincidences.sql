-- One row an interval of the wallet that open items explain, and of which that proves
-- nothing: so many are open that some fit by chance. In rials. `posted_at` is when its
-- second snapshot is posted.

with

intervals as (

    select * from int_wallet_rollforward
    where is_coincidence

),

snapshots as (

    select * from int_wallet_snapshots

),

final as (

    select
        intervals.wallet,
        intervals.to_at,
        snapshots.posted_at,
        intervals.explained_rial,
    from intervals
    inner join snapshots
        on
            intervals.wallet = snapshots.wallet
            and intervals.to_at = snapshots.snapshot_at

)

select * from final
