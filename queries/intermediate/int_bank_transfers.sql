-- One row an entry of a bank statement that may be the other side of what moved the
-- wallet, and that nothing known names: a credit that is no settlement, or a debit
-- without a deposit or an adjustment. In rials; `effect_rial` is what it would have
-- moved the wallet, between `from_at` and `until_at`: money is up to three days on its
-- way, and a statement of days only books at the day's first instant.

with

wallets as (

    select * from int_wallet_ibans

),

adjustments as (

    select * from stg_business__adjustments

),

deposits as (

    select * from int_wallet_deposits

),

paid as (

    select debit_id from int_bank_pairs

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

debits as (

    select * from int_bank_debits

),

credits as (

    select
        arrived.iban,
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
        debits.iban,
        debits.business_date,
        debits.debit_rial as effect_rial,
        debits.booked_at - interval 3 day as from_at,
        debits.booked_at + interval 4 day as until_at,
    from debits
    anti join paid
        on debits.debit_id = paid.debit_id
    anti join wallets
        on debits.iban = wallets.wallet
    anti join named
        on
            debits.debit_rial = named.amount_rial
            and named.occurred_at >= debits.booked_at - interval 4 day
            and named.occurred_at <= debits.booked_at + interval 4 day
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
