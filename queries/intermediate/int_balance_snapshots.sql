-- One row a balance snapshot of any IBAN. Amounts in rials. A snapshot without a
-- balance, a time or an IBAN says nothing and is left out. An IBAN is written
-- without spaces and in capitals, so that a copy with them is it. Of several in
-- one second the last stands: breaks and entries name the second, as `snapshot_id` does.

with

settings as (

    select balance_of from stg_settings

),

balances as (

    select
        upper(replace(iban, ' ', '')) as wallet,
        snapshot_at,
        balance_rial,
        available_rial,
        origin,
        pull_id,
        page_no,
        position,
    from stg_cash_in__balances
    where
        iban is not null
        and snapshot_at is not null
        and balance_rial is not null

),

of_wallets as (

    select balances.*
    from balances
    cross join settings
    where
        settings.balance_of = 'wallet'
        or balances.origin is distinct from 'provider'

),

final as (

    select
        wallet
        || ':'
        || strftime(snapshot_at at time zone 'UTC', '%Y-%m-%d')
        || 'T'
        || strftime(snapshot_at at time zone 'UTC', '%H:%M:%S')
        || 'Z' as snapshot_id,
        wallet,
        snapshot_at,
        balance_rial,
        available_rial,
        pull_id,
        page_no,
        position,
    from of_wallets
    qualify row_number() over (
        partition by
            wallet,
            strftime(snapshot_at at time zone 'UTC', '%Y-%m-%d %H:%M:%S')
        order by
            snapshot_at desc, pull_id desc, page_no desc, position desc
    ) = 1

)

select * from final
