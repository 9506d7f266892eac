-- One row an interval of the wallet, its difference, and when that is posted. In
-- rials. A snapshot at midnight ends the day before, as where a period is
-- closed, so its rest is posted in the last second of that day.

with

intervals as (

    select * from int_wallet_rollforward

),

settings as (

    select * from stg_settings

),

final as (

    select
        intervals.wallet,
        intervals.to_at,
        intervals.difference_rial,
        case
            when
                cast(
                    (intervals.to_at - interval 1 microsecond)
                    at time zone settings.timezone as date
                )
                < cast(intervals.to_at at time zone settings.timezone as date)
                then intervals.to_at - interval 1 second
            else intervals.to_at
        end as posted_at,
    from intervals
    cross join settings

)

select * from final
