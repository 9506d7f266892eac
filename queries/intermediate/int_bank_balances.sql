-- One row an entry of a bank account with the balance after it, in signed rials, since
-- the last entry of the account that came without. The n-th identical one of a later
-- file is the n-th of an earlier one.

with

balances as (

    select * from stg_business__bank_balances

),

entries as (

    select * from stg_business__bank_entries

),

settings as (

    select * from stg_settings

),

told as (

    select
        iban,
        booked_at,
        booked_date,
        amount_rial,
        balance_rial,
    from balances
    group by iban, booked_at, booked_date, amount_rial, balance_rial, nth

),

told_counts as (

    select
        iban,
        booked_at,
        amount_rial,
        count(*) as entry_count,
    from told
    group by iban, booked_at, amount_rial

),

entry_counts as (

    select
        upper(replace(entries.iban, ' ', '')) as iban,
        entries.booked_at,
        entries.amount_rial,
        count(*) as entry_count,
    from entries
    cross join settings
    where entries.booked_at <= settings.as_of + interval 1 day
    group by
        upper(replace(entries.iban, ' ', '')),
        entries.booked_at,
        entries.amount_rial

),

untold as (

    select
        entry_counts.iban,
        max(
            cast(entry_counts.booked_at at time zone settings.timezone as date)
        ) as last_date,
    from entry_counts
    cross join settings
    left join told_counts
        on
            entry_counts.iban = told_counts.iban
            and entry_counts.booked_at = told_counts.booked_at
            and entry_counts.amount_rial = told_counts.amount_rial
    where coalesce(told_counts.entry_count, 0) < entry_counts.entry_count
    group by entry_counts.iban

),

final as (

    select told.*
    from told
    left join untold
        on told.iban = untold.iban
    where
        untold.last_date is null
        or told.booked_date > untold.last_date

)

select * from final
