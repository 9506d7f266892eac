-- One row a balance snapshot that is not the wallet's: of an IBAN that was not the
-- wallet's then. Amounts in rials.

with

snapshots as (

    select * from int_balance_snapshots

),

compared as (

    select * from int_wallet_snapshots

),

final as (

    select
        snapshots.snapshot_id,
        snapshots.wallet,
        snapshots.snapshot_at,
    from snapshots
    anti join compared
        on
            snapshots.wallet = compared.wallet
            and snapshots.snapshot_at = compared.snapshot_at

)

select * from final
