-- One row an instant of a file that stands for a whole day: a date without a time is
-- read as the day's first instant, so what is dated so may lie anywhere from
-- `begins_at` to `ends_at`. One at midnight of the clock looks the same.

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

final as (

    select
        instants.begins_at,
        instants.begins_at + interval 86399 second as ends_at,
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

)

select * from final
