-- One row an entry of a bank statement that may be the other side of what moved the
-- wallet, and that nothing known names: a credit that is no settlement, or a debit
-- without a deposit or an adjustment. In rials; `effect_rial` is what it would have
-- moved the wallet, between `from_at` and `until_at`: money is up to three days on its
-- way, and a statement of days only books at the day's first instant.

with

wallets as (

    select distinct wallet from int_wallet_snapshots

),

adjustments as (

    select * from stg_business__adjustments

),

deposits as (

    select * from int_wallet_deposits

),

settings as (

    select * from stg_settings

),

named_credits as (

    select credit_id from int_settlement_matches

),

named as (

    select
        occurred_at,
        amount_rial,
    from adjustments
    union all
    select
        possible_from as occurred_at,
        amount_rial,
    from deposits
    union all
    select
        possible_from as occurred_at,
        amount_rial + wage_rial as amount_rial,
    from deposits

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
    where entries.amount_rial < 0

),

credits as (

    select
        nullif(arrived.iban, '') as iban,
        arrived.business_date,
        -arrived.credit_rial as effect_rial,
        arrived.booked_at - interval 3 day as from_at,
        arrived.booked_at + interval 1 day as until_at,
    from int_bank_credits as arrived
    anti join named_credits
        on arrived.credit_id = named_credits.credit_id

),

final as (

    select
        entries.iban,
        entries.business_date,
        -entries.amount_rial as effect_rial,
        entries.booked_at - interval 3 day as from_at,
        entries.booked_at + interval 4 day as until_at,
    from entries
    anti join wallets
        on entries.iban = wallets.wallet
    anti join named
        on
            entries.amount_rial = -named.amount_rial
            and named.occurred_at >= entries.booked_at - interval 4 day
            and named.occurred_at <= entries.booked_at + interval 4 day
    union all
    select
        iban,
        business_date,
        effect_rial,
        from_at,
        until_at,
    from credits

)

select * from final
