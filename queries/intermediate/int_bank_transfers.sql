-- One row an entry of a bank statement that may be the other side of what moved the
-- wallet, and that nothing known names: a credit without an adjustment of that amount
-- near it, or a debit without a deposit. In rials; `effect_rial` is what it would have
-- moved the wallet, between `from_at` and `until_at`: money is up to three days on its
-- way, and a statement of days only books at the day's first instant.

with

wallets as (

    select distinct wallet from int_wallet_snapshots

),

adjustments as (

    select
        occurred_at,
        amount_rial,
    from stg_business__adjustments

),

deposits as (

    select
        possible_from as requested_at,
        amount_rial,
        amount_rial + coalesce(wage_rial, 0) as with_wage_rial,
    from int_wallet_deposits

),

settings as (

    select * from stg_settings

),

entries as (

    select
        nullif(upper(replace(entries.iban, ' ', '')), '') as iban,
        entries.booked_at,
        cast(
            entries.booked_at at time zone settings.timezone as date
        ) as business_date,
        entries.amount_rial,
    from stg_business__bank_entries as entries
    cross join settings
    where entries.amount_rial <> 0

),

of_banks as (

    select entries.*
    from entries
    anti join wallets
        on entries.iban = wallets.wallet

),

credits as (

    select of_banks.*
    from of_banks
    anti join adjustments
        on
            of_banks.amount_rial = -adjustments.amount_rial
            and adjustments.occurred_at >= of_banks.booked_at - interval 4 day
            and adjustments.occurred_at <= of_banks.booked_at + interval 4 day
    where of_banks.amount_rial > 0

),

debits as (

    select of_banks.*
    from of_banks
    anti join deposits
        on
            of_banks.amount_rial = -deposits.amount_rial
            and deposits.requested_at >= of_banks.booked_at - interval 4 day
            and deposits.requested_at <= of_banks.booked_at + interval 4 day
    anti join deposits as dearer
        on
            of_banks.amount_rial = -dearer.with_wage_rial
            and dearer.requested_at >= of_banks.booked_at - interval 4 day
            and dearer.requested_at <= of_banks.booked_at + interval 4 day
    where of_banks.amount_rial < 0

),

final as (

    select
        iban,
        business_date,
        -amount_rial as effect_rial,
        booked_at - interval 3 day as from_at,
        booked_at + interval 1 day as until_at,
    from credits
    union all
    select
        iban,
        business_date,
        -amount_rial as effect_rial,
        booked_at - interval 3 day as from_at,
        booked_at + interval 4 day as until_at,
    from debits

)

select * from final
