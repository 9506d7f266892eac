-- One row an interval of the wallet, its difference, and when that is posted: with the
-- snapshot that shows it. In rials.

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
        snapshots.posted_at,
    from intervals
    inner join snapshots
        on
            intervals.wallet = snapshots.wallet
            and intervals.to_at = snapshots.snapshot_at

)

select * from final
