-- One row an entry of a bank statement, for each file that has it with the balance after
-- it: signed rials. `nth` counts the equal ones of a file. One of more than a day ahead
-- is left out, and so is a statement whose entries do not lead from its opening balance
-- to its closing one: it has a row without a balance; and one of which two or more
-- entries of a date that moved anything have one balance: it is that of the day's end.
-- camt.053 and MT940 have no balance beside an entry: it is their opening one and what
-- the rows above moved. Where these stand newest first, each is later than what is below
-- it, so the balance after an entry is the opening one and what it and those below moved.
-- Two times do not tell that: the second entry may be dated back.

with

entries as (

    select * from raw_bank_balances

),

settings as (

    select * from stg_settings

),

unsound as (

    select
        pull_id,
        page_no,
        statement,
    from raw_bank_balances
    where balance is null
    group by pull_id, page_no, statement

),

dated as (

    select
        upper(replace(entries.iban, ' ', '')) as iban,
        entries.pull_id,
        entries.page_no,
        entries.position,
        entries.statement,
        entries.booked_at,
        entries.amount as amount_rial,
        entries.balance as balance_rial,
        cast(entries.booked_at at time zone settings.timezone as date)
            as booked_date,
        entries.booked_at > settings.as_of + interval 1 day as is_ahead,
    from entries
    cross join settings
    anti join unsound
        on
            entries.pull_id = unsound.pull_id
            and entries.page_no = unsound.page_no
            and entries.statement = unsound.statement
    where
        entries.iban is not null
        and entries.balance is not null
        and entries.amount is not null
        and entries.booked_at is not null

),

newest_first as (

    select
        iban,
        pull_id,
        page_no,
        statement,
        cast(
            min_by(balance_rial, -position) * 2 - sum(amount_rial) as bigint
        ) as ends_rial,
    from dated
    group by iban, pull_id, page_no, statement
    having
        min_by(booked_at, -position) < min_by(booked_at, position)
        and count(distinct booked_at) > 2

),

ordered as (

    select
        dated.iban,
        dated.pull_id,
        dated.page_no,
        dated.statement,
        newest_first.ends_rial,
        dated.balance_rial - dated.amount_rial as before_rial,
        lag(dated.booked_at) over by_row as booked_above,
        lag(dated.balance_rial) over by_row as balance_above,
        lead(dated.balance_rial) over by_row as balance_below,
        dated.booked_at,
    from dated
    inner join newest_first
        on
            dated.iban = newest_first.iban
            and dated.pull_id = newest_first.pull_id
            and dated.page_no = newest_first.page_no
            and dated.statement = newest_first.statement
    window by_row as (
        partition by dated.iban, dated.pull_id, dated.page_no, dated.statement
        order by dated.position
    )

),

-- those whose balances go from row to row against their times, and no other way
turned as (

    select
        iban,
        pull_id,
        page_no,
        statement,
        max(ends_rial) as ends_rial,
    from ordered
    group by iban, pull_id, page_no, statement
    having
        count(*) filter (where booked_above < booked_at) = 0
        and count(*) filter (where balance_above <> before_rial) = 0
        and count(*) filter (where balance_below <> before_rial) > 0

),

of_days as (

    select
        pull_id,
        page_no,
        statement,
    from dated
    where amount_rial <> 0
    group by pull_id, page_no, statement, iban, booked_date
    having count(*) > 1 and min(balance_rial) = max(balance_rial)

),

told as (

    select
        dated.iban,
        dated.pull_id,
        dated.page_no,
        dated.position,
        dated.statement,
        dated.booked_at,
        dated.amount_rial,
        coalesce(
            turned.ends_rial - dated.balance_rial + dated.amount_rial,
            dated.balance_rial
        ) as balance_rial,
        dated.booked_date,
        dated.is_ahead,
    from dated
    left join turned
        on
            dated.iban = turned.iban
            and dated.pull_id = turned.pull_id
            and dated.page_no = turned.page_no
            and dated.statement = turned.statement

),

final as (

    select
        told.iban,
        told.pull_id,
        told.page_no,
        told.position,
        told.statement,
        told.booked_at,
        told.amount_rial,
        told.balance_rial,
        told.booked_date,
        row_number() over (
            partition by
                told.pull_id,
                told.page_no,
                told.iban,
                told.booked_at,
                told.amount_rial,
                told.balance_rial
            order by told.position
        ) as nth,
    from told
    anti join of_days
        on
            told.pull_id = of_days.pull_id
            and told.page_no = of_days.page_no
            and told.statement = of_days.statement
    where not told.is_ahead

)

select * from final
