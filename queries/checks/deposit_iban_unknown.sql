-- finds: a deposit entry whose IBAN is not an active account, nor was one when
--   it was made, once the accounts have been read after the deposit.
-- why: money was taken from an account that the business did not open for
--   deposits.
-- do: see whose account it is; close the access if it is not the business's.
-- severity: warning
-- product: cash_in
-- record: gateway_transaction_id
-- source: document 2, Endpoints, A. Get active IBANs and Deposit (iban).
-- false alarm: the account was opened and closed between two readings of the
--   accounts.

with

entries as (

    select * from int_deposit_entries

),

accounts as (

    select * from stg_cash_in__accounts

),

closed_accounts as (

    select * from raw_closed_accounts

),

seen_ids as (

    select * from raw_seen_ids
    where source_table = 'accounts'

),

readings as (

    select
        known_at,
        last_pull_id,
    from int_source_readings
    where
        source = 'accounts'
        and known_at is not null

),

sweeps as (

    select count(*) as seen_count
    from seen_ids

),

-- the newest list says which are active, also where it is empty
active as (

    select upper(replace(accounts.iban, ' ', '')) as iban
    from accounts
    cross join sweeps
    cross join readings
    left join seen_ids
        on accounts.iban = seen_ids.id
    where
        seen_ids.id is not null
        or (sweeps.seen_count = 0 and accounts.pull_id >= readings.last_pull_id)

),

closed as (

    select
        upper(replace(iban, ' ', '')) as iban,
        max(closed_by) as closed_by,
    from closed_accounts
    group by 1

),

final as (

    select
        entries.record_id,
        entries.track_id as related_id,
        entries.occurred_at,
        cast(null as bigint) as expected,
        cast(null as bigint) as actual,
        'The entry of {'
        || coalesce(cast(entries.amount_rial as varchar), 'an unknown amount')
        || case
            when entries.iban is null then '} names no IBAN.'
            else '} is of an IBAN that is not an active account.'
        end as detail,
    from entries
    cross join readings
    anti join active
        on entries.iban = active.iban
    -- one that the list lost since may still have been active when it was made
    anti join closed
        on
            entries.iban = closed.iban
            and least(
                coalesce(entries.occurred_at, entries.seen_at), entries.seen_at
            )
            <= closed.closed_by
    where
        entries.iban is null
        or entries.occurred_at is null
        -- it was made no later than it was first read, whatever its own time
        or least(entries.occurred_at, entries.seen_at) <= readings.known_at
    qualify row_number() over (
        partition by entries.record_id
        order by
            entries.track_id, entries.pull_id, entries.page_no, entries.position
    ) = 1

)

select * from final
