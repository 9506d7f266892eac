-- One row a date on which statements of a bank account contradict each other: one has an
-- entry that another lacks, though it is dated within it, and though the other goes on
-- by an entry of its own from the balance that this one finds, or to the one that it
-- leaves. One of them is wrong (the bank restated it, or wrote its entries otherwise), and
-- the entries of both count. An entry that is dated back contradicts none: it finds what
-- the last one left.

with

told as (

    select * from stg_business__bank_balances

),

balances as (

    select * from int_bank_balances

),

spans as (

    select
        iban,
        pull_id,
        page_no,
        statement,
        min(booked_at) as first_at,
        max(booked_at) as last_at,
    from told
    group by iban, pull_id, page_no, statement

),

sides as (

    select
        iban,
        chain_no,
        booked_at,
        booked_date,
        amount_rial,
        balance_rial,
        balance_rial - amount_rial as at_rial,
        1 as way,
    from balances
    union all
    select
        iban,
        chain_no,
        booked_at,
        booked_date,
        amount_rial,
        balance_rial,
        balance_rial as at_rial,
        -1 as way,
    from balances

),

-- balances that more entries find than leave (1), or fewer (-1)
forks as (

    select
        chain_no,
        at_rial,
        case when sum(way) > 0 then 1 else -1 end as excess_way,
    from sides
    group by chain_no, at_rial
    having sum(way) <> 0

),

branches as (

    select sides.*
    from sides
    semi join forks
        on
            sides.chain_no = forks.chain_no
            and sides.at_rial = forks.at_rial
            and sides.way = forks.excess_way

),

told_sides as (

    select
        iban,
        pull_id,
        page_no,
        statement,
        balance_rial - amount_rial as at_rial,
        1 as way,
    from told
    union all
    select
        iban,
        pull_id,
        page_no,
        statement,
        balance_rial as at_rial,
        -1 as way,
    from told

),

-- balances that a statement leads to and on from
inner_balances as (

    select
        told_sides.iban,
        told_sides.pull_id,
        told_sides.page_no,
        told_sides.statement,
        told_sides.at_rial,
    from told_sides
    semi join branches
        on
            told_sides.iban = branches.iban
            and told_sides.at_rial = branches.at_rial
    group by
        told_sides.iban,
        told_sides.pull_id,
        told_sides.page_no,
        told_sides.statement,
        told_sides.at_rial
    having sum(told_sides.way) = 0

),

contrary as (

    select
        branches.iban,
        branches.booked_at,
        branches.booked_date,
        branches.amount_rial,
        branches.balance_rial,
        spans.pull_id,
        spans.page_no,
        spans.statement,
    from branches
    inner join inner_balances
        on
            branches.iban = inner_balances.iban
            and branches.at_rial = inner_balances.at_rial
    inner join spans
        on
            inner_balances.iban = spans.iban
            and inner_balances.pull_id = spans.pull_id
            and inner_balances.page_no = spans.page_no
            and inner_balances.statement = spans.statement
            and branches.booked_at > spans.first_at
            and branches.booked_at < spans.last_at

),

final as (

    select distinct
        contrary.iban,
        contrary.booked_date,
    from contrary
    anti join told
        on
            contrary.iban = told.iban
            and contrary.pull_id = told.pull_id
            and contrary.page_no = told.page_no
            and contrary.statement = told.statement
            and contrary.booked_at = told.booked_at
            and contrary.amount_rial = told.amount_rial
            and contrary.balance_rial = told.balance_rial

)

select * from final
