-- One row: the business dates from which to which the statements of the bank show what
-- came from the wallet, null without any. Any account may have it: so it is the last
-- date of the account that is most behind, but of those only whose statement ended
-- within 35 days of T: these will have another. The wallet's own is none of the bank's.
-- One of more than a day ahead says nothing of the days until then.

with

bank_lines as (

    select * from int_bank_lines

),

wallets as (

    select * from int_wallet_ibans

),

settings as (

    select * from stg_settings

),

accounts as (

    select
        min(cast(bank_lines.booked_at at time zone settings.timezone as date))
            as first_date,
        max(cast(bank_lines.booked_at at time zone settings.timezone as date))
            filter (
                where bank_lines.booked_at <= settings.as_of + interval 1 day
            ) as last_date,
    from bank_lines
    cross join settings
    anti join wallets
        on bank_lines.iban = wallets.wallet
    group by bank_lines.iban

),

final as (

    select
        min(accounts.first_date) as first_date,
        coalesce(
            min(accounts.last_date) filter (
                where
                    accounts.last_date >= cast(
                        (settings.as_of - interval 35 day)
                        at time zone settings.timezone as date
                    )
            ),
            max(accounts.last_date),
            min(accounts.first_date)
        ) as last_date,
    from accounts
    cross join settings

)

select * from final
