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

unexplained as (

    select * from int_bank_unexplained_debits

),

final as (

    select
        debit_id as record_id,
        iban as related_id,
        booked_at as occurred_at,
        cast(0 as bigint) as expected,
        debit_rial as actual,
        'A debit of {'
        || cast(debit_rial as varchar)
        || '} names the provider, and no deposit accounts for it.' as detail,
    from unexplained

)

select * from final
