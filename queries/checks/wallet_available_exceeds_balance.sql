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

final as (

    select
        wallet
        || ':'
        || strftime(snapshot_at at time zone 'UTC', '%Y-%m-%d')
        || 'T'
        || strftime(snapshot_at at time zone 'UTC', '%H:%M:%S')
        || 'Z' as record_id,
        wallet as related_id,
        snapshot_at as occurred_at,
        balance_rial as expected,
        available_rial as actual,
        cast(available_rial as varchar)
        || ' is available, of a balance of '
        || cast(balance_rial as varchar)
        || '.' as detail,
    from snapshots
    where available_rial > balance_rial

)

select * from final
