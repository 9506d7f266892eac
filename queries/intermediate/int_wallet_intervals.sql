-- One row an interval between neighbouring snapshots of a wallet in one term. Amounts
-- in rials. It begins after `from_at` and ends with `to_at`: what happened at the
-- very instant of a snapshot is in its balance.

with

snapshots as (

    select * from int_wallet_snapshots

),

neighbours as (

    select
        wallet,
        lag(snapshot_at) over earlier as from_at,
        snapshot_at as to_at,
        lag(balance_rial) over earlier as opening_rial,
        balance_rial as closing_rial,
    from snapshots
    window earlier as (partition by wallet, term_from order by snapshot_at)

),

final as (

    select *
    from neighbours
    where from_at is not null

)

select * from final
