-- One row a change of the wallet: from the last snapshot of one term to the first of
-- the next. What moved between them is not compared: the balances of two wallets do
-- not lead to one another. Amounts in rials. What is not compared is posted with the
-- first snapshot; where both are of one instant nothing moved between them, and what
-- leads from the one balance to the other is posted just after it.

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
        posted_at,
    from snapshots
    window earlier as (order by snapshot_at, term_from, wallet)

),

final as (

    select
        neighbours.from_wallet,
        neighbours.from_at,
        neighbours.from_rial,
        neighbours.to_wallet,
        neighbours.to_at,
        neighbours.to_rial,
        case
            when neighbours.from_at = neighbours.to_at
                then neighbours.to_at + interval 1 microsecond
            else neighbours.posted_at
        end as posted_at,
    from neighbours
    where neighbours.earlier_term_from <> neighbours.term_from

)

select * from final
