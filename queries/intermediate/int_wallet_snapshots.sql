-- One row a balance snapshot of the wallet, of each IBAN in its own term. Amounts in
-- rials. `term_from` is when the term began.

with

snapshots as (

    select * from int_balance_snapshots

),

terms as (

    select * from int_wallet_terms

),

final as (

    select
        snapshots.wallet,
        snapshots.snapshot_at,
        snapshots.balance_rial,
        snapshots.available_rial,
        snapshots.pull_id,
        snapshots.page_no,
        snapshots.position,
        terms.valid_from as term_from,
    from snapshots
    inner join terms
        on
            (terms.wallet = '' or snapshots.wallet = terms.wallet)
            and snapshots.snapshot_at >= terms.valid_from
            and snapshots.snapshot_at < terms.valid_until

)

select * from final
