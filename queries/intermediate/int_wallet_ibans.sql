-- One row an IBAN that was the wallet's at any time: by a balance of it, or as the
-- settings name it, unless the balance of an IBAN is a bank account's.

with

snapshots as (

    select * from int_wallet_snapshots

),

named as (

    select * from stg_wallet_ibans

),

settings as (

    select balance_of from stg_settings

),

final as (

    select wallet
    from snapshots
    union
    select upper(replace(named.wallet, ' ', '')) as wallet
    from named
    cross join settings
    where
        named.wallet <> ''
        and settings.balance_of = 'wallet'

)

select * from final
