-- One row a kind of the business's own files that records are compared with: how many
-- rows it has, and the business dates from which to which it reaches; null where none
-- of its rows has a time, and of the tariff.

with

book_ends as (

    select * from int_book_ends

),

bank_entries as (

    select * from stg_business__bank_entries

),

tariff as (

    select * from stg_business__tariff

),

ends as (

    select
        'books' as kind,
        order_count as row_count,
        first_at,
        last_at,
    from book_ends
    union all
    select
        'bank_statement' as kind,
        count(*) as row_count,
        min(booked_at) as first_at,
        max(booked_at) as last_at,
    from bank_entries
    union all
    select
        'tariff' as kind,
        count(*) as row_count,
        cast(null as timestamptz) as first_at,
        cast(null as timestamptz) as last_at,
    from tariff

),

settings as (

    select * from stg_settings

),

final as (

    select
        ends.kind,
        ends.row_count,
        case
            when ends.first_at < cast('0001-01-02 00:00:00+00' as timestamptz)
                then cast('0001-01-01' as date)
            when ends.first_at < cast('9999-12-31 00:00:00+00' as timestamptz)
                then cast(
                    ends.first_at at time zone settings.timezone as date
                )
            when ends.first_at is not null then cast('9999-12-31' as date)
        end as first_date,
        case
            when ends.last_at < cast('0001-01-02 00:00:00+00' as timestamptz)
                then cast('0001-01-01' as date)
            when ends.last_at < cast('9999-12-31 00:00:00+00' as timestamptz)
                then cast(
                    ends.last_at at time zone settings.timezone as date
                )
            when ends.last_at is not null then cast('9999-12-31' as date)
        end as last_date,
    from ends
    cross join settings

)

select * from final
