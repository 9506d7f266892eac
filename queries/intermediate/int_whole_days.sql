-- One row an instant of a file that stands for a whole day: a date without a time is
-- read as the day's first instant, so what is dated so may lie anywhere from
-- `begins_at` to `ends_at`: the last second of that date, which is an hour later or
-- earlier, or half an hour, where the clocks are set back or forward in it. One at
-- midnight of the clock looks the same.

with

settings as (

    select * from stg_settings

),

instants as (

    select occurred_at as begins_at
    from stg_business__adjustments
    union
    select settled_at as begins_at
    from stg_cash_in__deposits
    union
    select booked_at as begins_at
    from stg_business__bank_entries

),

days as (

    select
        instants.begins_at,
        cast(
            instants.begins_at at time zone settings.timezone as date
        ) as business_date,
        settings.timezone,
    from instants
    cross join settings
    where
        -- where the clocks skipped midnight, a day begins later
        strftime(
            instants.begins_at at time zone settings.timezone, '%S.%f'
        ) = '00.000000'
        and cast(
            (instants.begins_at - interval 1 second)
            at time zone settings.timezone as date
        ) < cast(
            instants.begins_at at time zone settings.timezone as date
        )

),

final as (

    select
        begins_at,
        begins_at
        + case
            when
                cast(
                    (begins_at + interval 89999 second) at time zone timezone as date
                ) = business_date
                then interval 89999 second
            when
                cast(
                    (begins_at + interval 88199 second) at time zone timezone as date
                ) = business_date
                then interval 88199 second
            when
                cast(
                    (begins_at + interval 86399 second) at time zone timezone as date
                ) = business_date
                then interval 86399 second
            when
                cast(
                    (begins_at + interval 84599 second) at time zone timezone as date
                ) = business_date
                then interval 84599 second
            else interval 82799 second
        end as ends_at,
    from days

)

select * from final
