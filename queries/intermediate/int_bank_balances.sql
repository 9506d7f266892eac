-- One row an entry of a bank account with the balance after it, in signed rials. The
-- n-th identical one of a later file is the n-th of an earlier one. A date with an entry
-- that came without one is left out, and ends a chain (`chain_no`, of one account):
-- nobody knows what leads from the balances before it to those after it. `place` is an
-- entry's among those of the account: by time; of one time, by the order of the rows of
-- the earliest file that has it, from balance to balance.

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

followed as (

    select
        *,
        case
            when
                lag(balance_rial) over by_row = balance_rial - amount_rial
                then 1
            else 0
        end as is_downward,
        case
            when
                lead(balance_rial) over by_row = balance_rial - amount_rial
                then 1
            else 0
        end as is_upward,
    from balances
    window by_row as (
        partition by iban, pull_id, page_no, statement
        order by position
    )

),

-- where as many balances lead up the rows as down, their times tell the way
led as (

    select
        iban,
        pull_id,
        page_no,
        statement,
        min(booked_at) as first_at,
        max(booked_at) as last_at,
        case
            when sum(is_upward) > sum(is_downward) then -1
            when sum(is_upward) < sum(is_downward) then 1
            when
                min_by(booked_at, position) > min_by(booked_at, -position)
                then -1
            when
                min_by(booked_at, position) < min_by(booked_at, -position)
                then 1
            else 0
        end as direction,
    from followed
    group by iban, pull_id, page_no, statement

),

-- or else the other files of the account do
files as (

    select
        iban,
        pull_id,
        page_no,
        statement,
        first_at,
        last_at,
        case
            when direction <> 0 then direction
            when sum(direction) over (partition by iban) < 0 then -1
            else 1
        end as direction,
    from led

),

told as (

    select
        balances.iban,
        balances.booked_at,
        balances.booked_date,
        balances.amount_rial,
        balances.balance_rial,
        balances.pull_id,
        balances.page_no,
        balances.statement,
        files.first_at,
        files.last_at,
        balances.position * files.direction as row_order,
    from balances
    inner join files
        on
            balances.iban = files.iban
            and balances.pull_id = files.pull_id
            and balances.page_no = files.page_no
            and balances.statement = files.statement
    qualify row_number() over (
        partition by
            balances.iban,
            balances.booked_at,
            balances.booked_date,
            balances.amount_rial,
            balances.balance_rial,
            balances.nth
        order by
            files.first_at,
            files.last_at,
            balances.pull_id,
            balances.page_no,
            balances.statement
    ) = 1

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
        cast(entry_counts.booked_at at time zone settings.timezone as date)
            as booked_date,
    from entry_counts
    cross join settings
    left join told_counts
        on
            entry_counts.iban = told_counts.iban
            and entry_counts.booked_at = told_counts.booked_at
            and entry_counts.amount_rial = told_counts.amount_rial
    where coalesce(told_counts.entry_count, 0) < entry_counts.entry_count

),

marks as (

    select
        iban,
        booked_date,
        0 as is_untold,
    from told
    union all
    select
        iban,
        booked_date,
        1 as is_untold,
    from untold

),

dates as (

    select
        iban,
        booked_date,
        max(is_untold) as is_untold,
    from marks
    group by iban, booked_date

),

numbered_dates as (

    select
        *,
        case
            when row_number() over (partition by iban order by booked_date) = 1 then 1
            else 0
        end as is_first,
    from dates

),

chains as (

    select
        *,
        sum(is_untold + is_first) over (
            order by iban, booked_date
            rows between unbounded preceding and current row
        ) as chain_no,
    from numbered_dates

),

final as (

    select
        told.iban,
        told.booked_at,
        told.booked_date,
        told.amount_rial,
        told.balance_rial,
        cast(chains.chain_no as bigint) as chain_no,
        row_number() over (
            partition by told.iban
            order by
                told.booked_at,
                told.first_at,
                told.last_at,
                told.pull_id,
                told.page_no,
                told.statement,
                told.row_order
        ) as place,
    from told
    inner join chains
        on
            told.iban = chains.iban
            and told.booked_date = chains.booked_date
    where chains.is_untold = 0

)

select * from final
