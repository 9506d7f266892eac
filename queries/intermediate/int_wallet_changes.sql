-- One row a change of the wallet: from the last snapshot of one term to the first of
-- the next. What moved between them is not compared: the balances of two wallets do
-- not lead to one another. Amounts in rials.

with

snapshots as (

    select * from int_wallet_snapshots

),

neighbours as (

    select
        lag(wallet) over earlier as from_wallet,
        lag(snapshot_at) over earlier as from_at,
        lag(balance_rial) over earlier as from_rial,
        lag(term_from) over earlier as earlier_term_from,
        wallet as to_wallet,
        snapshot_at as to_at,
        balance_rial as to_rial,
        term_from,
    from snapshots
    window earlier as (order by snapshot_at, wallet)

),

final as (

    select
        from_wallet,
        from_at,
        from_rial,
        to_wallet,
        to_at,
        to_rial,
    from neighbours
    where earlier_term_from <> term_from

)

select * from final
