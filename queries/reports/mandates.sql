-- One row a mandate: its terms and how far they were used. Amounts in rials.
-- The month is that of T in the business's calendar. For charts and notebooks.
-- One that a later complete list lacks is not usable.
-- Some write `never` as the calendar's last second, which is in the year 10000 of many
-- zones: no program reads such a date, so it is the calendar's last one.

with

mandates as (

    select * from stg_unified__mandates

),

payments as (

    select * from int_mandate_payments
    where is_done

),

missing as (

    select * from int_missing_mandates

),

settings as (

    select * from stg_settings

),

dates as (

    select * from stg_dates

),

present as (

    select
        settings.as_of,
        settings.timezone,
        dates.month,
    from settings
    inner join dates
        on
            cast(settings.as_of at time zone settings.timezone as date)
            = dates.business_date

),

used as (

    select
        payments.mandate_id,
        count(*) as done_count,
        count(*) filter (
            where payments.month = present.month
        ) as month_count,
        max(payments.amount_rial) as largest_rial,
        max(payments.used_at) as last_used_at,
    from payments
    cross join present
    group by payments.mandate_id

),

final as (

    select
        mandates.mandate_id,
        mandates.payment_method,
        mandates.status,
        mandates.monthly_count,
        coalesce(used.month_count, 0) as used_this_month,
        mandates.limit_rial as withdrawal_limit,
        used.largest_rial as largest_withdrawal,
        coalesce(used.done_count, 0) as done,
        used.last_used_at,
        mandates.created_at,
        mandates.expires_at,
        case
            when mandates.expires_at < cast('0001-01-02 00:00:00+00' as timestamptz)
                then cast('0001-01-01' as date)
            when mandates.expires_at < cast('9999-12-31 00:00:00+00' as timestamptz)
                then cast(
                    mandates.expires_at at time zone present.timezone as date
                )
            when mandates.expires_at is not null then cast('9999-12-31' as date)
        end as expiry_date,
        mandates.revoked_at,
        mandates.revoked_at is null
        and coalesce(mandates.expires_at > present.as_of, true)
        and missing.mandate_id is null as is_usable,
    from mandates
    cross join present
    left join used
        on mandates.mandate_id = used.mandate_id
    left join missing
        on mandates.mandate_id = missing.mandate_id

)

select * from final
