-- One row a file and an account of which it has entries: it covers the days from the
-- first of them to the last one. `longest_pause` is the most seconds between two
-- neighbouring entries. What a file has of rows that an earlier one has, too, counts.

with

entries as (

    select * from raw_bank_statement

),

settings as (

    select * from stg_settings

),

paused as (

    select
        upper(replace(iban, ' ', '')) as iban,
        pull_id,
        page_no,
        booked_at,
        date_diff(
            'second', lag(booked_at) over earlier, booked_at
        ) as pause,
    from entries
    where
        iban is not null
        and booked_at is not null
    window earlier as (
        partition by upper(replace(iban, ' ', '')), pull_id, page_no
        order by booked_at
    )

),

reached as (

    select
        iban,
        pull_id,
        page_no,
        min(booked_at) as first_at,
        max(booked_at) as last_at,
        coalesce(max(pause), 0) as longest_pause,
    from paused
    group by iban, pull_id, page_no

),

final as (

    select
        reached.*,
        cast(reached.first_at at time zone settings.timezone as date)
            as first_date,
        cast(reached.last_at at time zone settings.timezone as date)
            as last_date,
    from reached
    cross join settings

)

select * from final
