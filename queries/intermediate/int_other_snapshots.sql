-- One row a balance snapshot that is not the wallet's: of an IBAN that was not the
-- wallet's then. Amounts in rials. `snapshot_id` names it as breaks do.

with

snapshots as (

    select * from int_balance_snapshots

),

compared as (

    select * from int_wallet_snapshots

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
    anti join compared
        on
            snapshots.wallet = compared.wallet
            and snapshots.snapshot_at = compared.snapshot_at

)

select * from final
