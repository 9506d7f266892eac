-- One row a time between the statements of an account that none of them covers: after
-- `after_date` and before `before_date`. Where balances stand beside the entries, they
-- tell it: what the one statement ends with is what the next one begins with, or else
-- entries are missing, which come to `missing_rial` (signed); from the last date of the
-- one to the first of the next nothing is sure then. Times of the same dates are one.
-- Where balances tell nothing it is null:
-- a statement names its entries and no days without one, so a short time may be quiet,
-- as a weekend or holidays are, and is taken to be covered: seven dates, or as many as
-- pass without an entry within a statement of the account.

with

statements as (

    select * from stg_business__bank_statements

),

told as (

    select * from stg_business__bank_balances

),

balances as (

    select * from int_bank_balances

),

jumps as (

    select * from int_bank_jumps

),

reached as (

    select
        iban,
        first_date,
        first_day,
        max(last_date) over earlier as reached_date,
        max(last_day) over earlier as reached_day,
        greatest(max(longest_pause) over (partition by iban), 8) as longest_pause,
    from statements
    window earlier as (
        partition by iban
        order by first_day, last_day, pull_id, page_no
        rows between unbounded preceding and 1 preceding
    )

),

quiet as (

    select
        iban,
        reached_date as after_date,
        first_date as before_date,
    from reached
    where first_day - reached_day > longest_pause

),

jumped as (

    select
        chain_no,
        sum(jump_count) as jump_count,
    from jumps
    group by chain_no

),

lengths as (

    select
        iban,
        chain_no,
        min(booked_date) as first_date,
        max(booked_date) as last_date,
        count(*) as entry_count,
    from balances
    group by iban, chain_no

),

-- a column of other figures jumps at most entries
chains as (

    select lengths.*
    from lengths
    left join jumped
        on lengths.chain_no = jumped.chain_no
    where lengths.entry_count > 2 * coalesce(jumped.jump_count, 0)

),

spans as (

    select
        iban,
        min(booked_at) as first_at,
        max(booked_at) as last_at,
    from told
    group by iban, pull_id, page_no, statement

),

-- a statement that has both sides lacks no other one
missing as (

    select jumps.*
    from jumps
    semi join chains
        on jumps.chain_no = chains.chain_no
    anti join spans
        on
            jumps.iban = spans.iban
            and jumps.after_at >= spans.first_at
            and jumps.before_at <= spans.last_at
    where jumps.jump_count = 1 or jumps.missing_rial <> 0

),

final as (

    select
        iban,
        cast(after_date - interval 1 day as date) as after_date,
        cast(before_date + interval 1 day as date) as before_date,
        cast(sum(missing_rial) as bigint) as missing_rial,
    from missing
    group by iban, after_date, before_date
    union all
    select
        quiet.iban,
        quiet.after_date,
        quiet.before_date,
        cast(null as bigint) as missing_rial,
    from quiet
    anti join chains
        on
            quiet.iban = chains.iban
            and quiet.after_date >= chains.first_date
            and quiet.before_date <= chains.last_date

)

select * from final
