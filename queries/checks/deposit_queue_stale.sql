-- finds: a deposit entry in INIT for longer than deposit_queue, with no balance
--   of the wallet that shows that it landed. Where the list of deposits or the
--   balances could not be read again, it is as old as when they were read.
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

-- where several sets of items fit an interval, or one by chance, none is
-- evidence
landed as (

    select * from int_wallet_evidence

),

settings as (

    select * from stg_settings

),

lists as (

    select max(whole_until) as whole_until
    from int_source_readings
    where source = 'deposits'

),

balances as (

    select
        max(known_at) as known_at,
        max(whole_until) as whole_until,
    from int_source_readings
    where source = 'balances'

),

-- an entry is queued at least since it was first met as such, whatever its
-- own time
first_met as (

    select
        nullif(trim(gateway_transaction_id), '') as entry_id,
        min(seen_at) as met_at,
    from raw_deposits
    where status = 'INIT'
    group by nullif(trim(gateway_transaction_id), '')

),

queued as (

    select
        entries.*,
        date_diff(
            'second',
            least(
                entries.requested_at,
                coalesce(first_met.met_at, entries.seen_at)
            ),
            least(
                case
                    when lists.whole_until is null then settings.as_of
                    else greatest(lists.whole_until, entries.seen_at)
                end,
                case
                    when balances.known_at is not null
                        then balances.whole_until
                end
            )
        ) as waited_seconds,
        settings.deposit_queue_seconds,
    from entries
    cross join settings
    cross join lists
    cross join balances
    left join first_met
        on entries.gateway_transaction_id = first_met.entry_id
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
        || cast(waited_seconds as varchar)
        || ' seconds}.' as detail,
    from queued
    where waited_seconds > deposit_queue_seconds
    qualify row_number() over (
        partition by record_id
        order by waited_seconds desc, track_id, pull_id, page_no, position
    ) = 1

)

select * from final
