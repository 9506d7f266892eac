-- One row a snapshot with which an IBAN becomes the wallet's though it has earlier ones:
-- the settings say that another was the wallet meanwhile, or that this one was not yet.
-- What lies before it is not compared. `snapshot_id` names it as breaks do.

with

snapshots as (

    select
        wallet,
        snapshot_at,
    from int_wallet_snapshots

),

intervals as (

    select
        wallet,
        to_at,
    from int_wallet_intervals

),

begun as (

    select
        wallet,
        min(snapshot_at) as first_at,
    from int_balance_snapshots
    group by wallet

),

final as (

    select
        snapshots.wallet
        || ':'
        || strftime(snapshots.snapshot_at at time zone 'UTC', '%Y-%m-%d')
        || 'T'
        || strftime(snapshots.snapshot_at at time zone 'UTC', '%H:%M:%S')
        || 'Z' as snapshot_id,
        snapshots.wallet,
        snapshots.snapshot_at,
    from snapshots
    inner join begun
        on
            snapshots.wallet = begun.wallet
            and snapshots.snapshot_at > begun.first_at
    anti join intervals
        on
            snapshots.wallet = intervals.wallet
            and snapshots.snapshot_at = intervals.to_at

)

select * from final
