-- One row an entry of a bank statement, for each file that has it with the balance after
-- it: signed rials. `nth` counts the equal ones of a file. One of more than a day ahead
-- is left out, and so is a statement whose entries do not lead from its opening balance
-- to its closing one: it has a row without a balance; and one of which two or more
-- entries of a date that moved anything have one balance: it is that of the day's end.

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
        and entries.booked_at <= settings.as_of + interval 1 day

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

final as (

    select
        dated.*,
        row_number() over (
            partition by
                dated.pull_id,
                dated.page_no,
                dated.iban,
                dated.booked_at,
                dated.amount_rial,
                dated.balance_rial
            order by dated.position
        ) as nth,
    from dated
    anti join of_days
        on
            dated.pull_id = of_days.pull_id
            and dated.page_no = of_days.page_no
            and dated.statement = of_days.statement

)

select * from final
