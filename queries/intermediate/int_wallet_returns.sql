-- One row a snapshot with which an IBAN becomes the wallet's though it has earlier ones:
-- the settings say that another was the wallet meanwhile, or that this one was not yet.
-- What lies before it is not compared.

with

snapshots as (

    select * from int_wallet_snapshots

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
        snapshots.snapshot_id,
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
