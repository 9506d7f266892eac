-- finds: a balance snapshot of the wallet with more available than there is.
-- why: the available part is a part of the balance; one of the two figures is
--   wrong, and a payout may be planned on money that is not there.
-- do: read the balance again; if it stays so, ask the provider which is right.
-- severity: error
-- product: wallet
-- record: wallet:at
-- source: document 2, Resources and their fields, A. Balance.

with

snapshots as (

    select * from int_wallet_snapshots

),

settings as (

    select * from stg_settings

),

final as (

    select
        snapshots.snapshot_id as record_id,
        snapshots.wallet as related_id,
        snapshots.snapshot_at as occurred_at,
        snapshots.balance_rial as expected,
        snapshots.available_rial as actual,
        '{'
        || cast(snapshots.available_rial as varchar)
        || '} is available, of a balance of {'
        || cast(snapshots.balance_rial as varchar)
        || '}.' as detail,
    from snapshots
    cross join settings
    where
        snapshots.available_rial - snapshots.balance_rial
        > settings.tolerance_rial

)

select * from final
