-- One row a deposit or a settlement that no statement has, though its days are over,
-- and a time between two statements of an account in which the bank may have booked it
-- (int_bank_gaps). A settlement may have gone to any account. Beside them one row of
-- kind `entries` a gap of which the balances prove what is missing: signed. In rials;
-- `business_date` is that of the request, of the settlement, or the first of the gap. One
-- row of kind `statement` is the time of a statement that does not add up, one of kind
-- `contradiction` a date on which two contradict each other.

with

claims as (

    select * from int_bank_covered_claims
    where
        is_over
        and is_in_gap
        and not is_served

),

settlements as (

    select * from int_settlements

),

matches as (

    select * from int_settlement_matches

),

gaps as (

    select * from int_bank_gaps

),

statements as (

    select * from int_bank_unsound_statements

),

contradictions as (

    select * from int_bank_contradictions

),

wallets as (

    select * from int_wallet_ibans

),

settings as (

    select * from stg_settings

),

unmatched as (

    select
        settlements.settlement_id,
        settlements.settled_rial,
        cast(settlements.settled_at at time zone settings.timezone as date)
            as settled_date,
        cast(settlements.until_at at time zone settings.timezone as date)
            as until_date,
    from settlements
    cross join settings
    anti join matches
        on settlements.settlement_id = matches.settlement_id
    where
        settlements.is_settlement
        and settings.as_of > settlements.until_at

),

final as (

    select
        'deposit' as kind,
        claims.claim_id as item_id,
        gaps.iban,
        gaps.after_date,
        gaps.before_date,
        claims.requested_date as business_date,
        claims.claim_rial as amount_rial,
    from claims
    inner join gaps
        on
            claims.iban = gaps.iban
            and claims.requested_date < gaps.before_date
            and claims.until_date > gaps.after_date
    union all
    select
        'settlement' as kind,
        unmatched.settlement_id as item_id,
        gaps.iban,
        gaps.after_date,
        gaps.before_date,
        unmatched.settled_date as business_date,
        unmatched.settled_rial as amount_rial,
    from unmatched
    inner join gaps
        on
            unmatched.settled_date < gaps.before_date
            and unmatched.until_date > gaps.after_date
    anti join wallets
        on gaps.iban = wallets.wallet
    union all
    select
        'entries' as kind,
        cast(null as varchar) as item_id,
        iban,
        after_date,
        before_date,
        cast(after_date + interval 1 day as date) as business_date,
        missing_rial as amount_rial,
    from gaps
    where missing_rial is not null
    union all
    select
        'statement' as kind,
        cast(null as varchar) as item_id,
        iban,
        cast(first_date - interval 1 day as date) as after_date,
        cast(last_date + interval 1 day as date) as before_date,
        first_date as business_date,
        cast(null as bigint) as amount_rial,
    from statements
    union all
    select
        'contradiction' as kind,
        cast(null as varchar) as item_id,
        iban,
        cast(booked_date - interval 1 day as date) as after_date,
        cast(booked_date + interval 1 day as date) as before_date,
        booked_date as business_date,
        cast(null as bigint) as amount_rial,
    from contradictions

)

select * from final
