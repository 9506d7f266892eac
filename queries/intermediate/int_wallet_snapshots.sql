-- One row a balance snapshot of the wallet, of each IBAN in its own term. Amounts in
-- rials. `term_from` and `term_until` are the term's ends. At the very instant of a
-- change the old one's snapshot closes its term and the new one's opens the next; where
-- it is of both, it is the opening. What a snapshot shows is posted at `posted_at`: one
-- at midnight ends the day before, as where a period is closed, and so in the last
-- second of that day.

with

snapshots as (

    select * from int_balance_snapshots

),

terms as (

    select * from int_wallet_terms

),

settings as (

    select timezone from stg_settings

),

final as (

    select
        snapshots.snapshot_id,
        snapshots.wallet,
        snapshots.snapshot_at,
        snapshots.balance_rial,
        snapshots.available_rial,
        snapshots.pull_id,
        snapshots.page_no,
        snapshots.position,
        terms.valid_from as term_from,
        terms.valid_until as term_until,
        case
            when
                cast(
                    (snapshots.snapshot_at - interval 1 microsecond)
                    at time zone settings.timezone as date
                )
                < cast(
                    snapshots.snapshot_at at time zone settings.timezone as date
                )
                then snapshots.snapshot_at - interval 1 second
            else snapshots.snapshot_at
        end as posted_at,
    from snapshots
    cross join settings
    inner join terms
        on
            (terms.wallet = '' or snapshots.wallet = terms.wallet)
            and snapshots.snapshot_at >= terms.valid_from
            and snapshots.snapshot_at <= terms.valid_until
    qualify row_number() over (
        partition by snapshots.wallet, snapshots.snapshot_at
        order by terms.valid_from desc
    ) = 1

)

select * from final
