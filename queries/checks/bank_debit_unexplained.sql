-- finds: a debit of a bank statement whose description names the provider,
--   without a deposit. What the wallet's own statement has is no bank's. As
--   long as the list of deposits cannot be read whole, nothing is said of
--   debits later than what was.
-- why: the provider took money from the account, and no deposit accounts for
--   it.
-- do: look for a deposit request of unknown outcome of this amount; else ask
--   the provider which deposit the debit belongs to.
-- severity: error
-- product: cash_in
-- record: <iban>:<booked_at>:<amount>:<n>
-- source: document 2, Endpoints, A. Deposit; the names are
--   checks.provider_names.

with

debits as (

    select * from int_bank_debits

),

matches as (

    select * from int_bank_matches

),

wallets as (

    select distinct wallet from int_wallet_snapshots

),

readings as (

    select max(whole_until) as whole_until
    from int_source_readings
    where source = 'deposits'

),

-- their deposits may be in what was not read
unread as (

    select debits.debit_id
    from debits
    cross join readings
    where debits.at_latest > readings.whole_until

),

final as (

    select
        debits.debit_id as record_id,
        debits.iban as related_id,
        debits.booked_at as occurred_at,
        cast(0 as bigint) as expected,
        debits.debit_rial as actual,
        'A debit of {'
        || cast(debits.debit_rial as varchar)
        || '} names the provider, and no deposit accounts for it.' as detail,
    from debits
    anti join matches
        on debits.debit_id = matches.debit_id
    anti join wallets
        on debits.iban = wallets.wallet
    anti join unread
        on debits.debit_id = unread.debit_id
    where debits.is_provider_named

)

select * from final
