-- finds: a deposit entry in INIT for longer than deposit_queue, with no balance
--   of the wallet that shows that it landed.
-- why: money has left the bank account and has not reached the wallet.
-- do: compare with the bank statement; ask the provider for the state of the
--   entry.
-- severity: warning
-- product: cash_in
-- record: gateway_transaction_id
-- source: document 2, States and transitions, A (INIT).

with

entries as (

    select * from int_deposit_entries

),

explanations as (

    select * from int_wallet_explanations

),

settings as (

    select * from stg_settings

),

-- where several sets of items fit an interval, none of them is evidence
landed as (

    select distinct item_id
    from explanations
    where is_unique

),

-- an entry without a time is at least as old as the answer that brought it
queued as (

    select
        entries.*,
        date_diff(
            'second',
            coalesce(entries.requested_at, entries.seen_at),
            settings.as_of
        ) as waited_seconds,
        settings.deposit_queue_seconds,
    from entries
    cross join settings
    anti join landed
        on 'deposit:' || entries.deposit_id = landed.item_id
    where
        entries.status = 'INIT'
        and not entries.is_settled

),

final as (

    select
        record_id,
        track_id as related_id,
        occurred_at,
        cast(null as bigint) as expected,
        cast(null as bigint) as actual,
        'The deposit of {'
        || coalesce(cast(amount_rial as varchar), 'an unknown amount')
        || '} has been queued for {'
        || cast(waited_seconds // 3600 as varchar)
        || '} hours.' as detail,
    from queued
    where waited_seconds > deposit_queue_seconds
    qualify row_number() over (
        partition by record_id
        order by waited_seconds desc, track_id, pull_id, page_no, position
    ) = 1

)

select * from final
