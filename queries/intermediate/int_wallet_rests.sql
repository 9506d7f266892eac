-- One row an interval of the wallet, its difference, and when that is posted: with the
-- snapshot that shows it. In rials. `is_coincidence` where open items explain it and
-- that proves nothing: so many are open that some fit by chance.

with

intervals as (

    select * from int_wallet_rollforward

),

snapshots as (

    select * from int_wallet_snapshots

),

final as (

    select
        intervals.wallet,
        intervals.to_at,
        intervals.difference_rial,
        intervals.explained_rial,
        intervals.is_coincidence,
        snapshots.posted_at,
    from intervals
    inner join snapshots
        on
            intervals.wallet = snapshots.wallet
            and intervals.to_at = snapshots.snapshot_at

)

select * from final
