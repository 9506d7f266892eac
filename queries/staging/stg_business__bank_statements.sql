-- One row a file and an account of which it has entries: it covers the dates from the
-- first of them to the last one, which are counted, too, as days since 1970.
-- `longest_pause` is the most days from an entry to the next one. What a file has of
-- rows that an earlier one has, too, counts; one of more than a day ahead says nothing
-- of the days until then.

with

entries as (

    select * from raw_bank_statement

),

settings as (

    select * from stg_settings

),

dated as (

    select
        upper(replace(entries.iban, ' ', '')) as iban,
        entries.pull_id,
        entries.page_no,
        cast(entries.booked_at at time zone settings.timezone as date)
            as booked_date,
    from entries
    cross join settings
    where
        entries.iban is not null
        and entries.booked_at <= settings.as_of + interval 1 day

),

counted as (

    select
        *,
        date_diff('day', cast('1970-01-01' as date), cast(booked_date as date))
            as day,
    from dated

),

paused as (

    select
        *,
        day - lag(day) over (
            partition by iban, pull_id, page_no
            order by day
        ) as pause,
    from counted

),

final as (

    select
        iban,
        pull_id,
        page_no,
        min(booked_date) as first_date,
        max(booked_date) as last_date,
        min(day) as first_day,
        max(day) as last_day,
        coalesce(max(pause), 0) as longest_pause,
    from paused
    group by iban, pull_id, page_no

)

select * from final
