-- One row a debit whose description names the provider, and that no deposit accounts
-- for. What the wallet's own statement has is no bank's. As long as the list of
-- deposits cannot be read whole, debits later than what was are left out: their
-- deposits may be in what was not read.

with

debits as (

    select * from int_bank_debits

),

matches as (

    select * from int_bank_pairs

),

wallets as (

    select * from int_wallet_ibans

),

readings as (

    select max(whole_until) as whole_until
    from int_source_readings
    where source = 'deposits'

),

unread as (

    select debits.debit_id
    from debits
    cross join readings
    where debits.at_latest > readings.whole_until

),

final as (

    select debits.*
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
