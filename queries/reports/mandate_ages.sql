-- One row a payment method and age of the mandate in weeks, when it was used, by
-- business dates. For charts and notebooks: how many attempts were done. Amounts are
-- not summed. One of a date before its mandate's has no age, and is left out.

with

attempts as (

    select * from int_payment_attempts
    where mandate_id is not null

),

mandates as (

    select * from stg_unified__mandates

),

settings as (

    select * from stg_settings

),

aged as (

    select
        attempts.payment_method,
        attempts.is_done,
        attempts.business_date,
        date_diff(
            'day',
            cast(mandates.created_at at time zone settings.timezone as date),
            cast(attempts.business_date as date)
        ) as age_days,
    from attempts
    inner join mandates
        on attempts.mandate_id = mandates.mandate_id
    cross join settings
    where
        mandates.created_at is not null
        and attempts.business_date is not null

),

final as (

    select
        business_date,
        payment_method,
        age_days // 7 as age_weeks,
        count(*) as attempts,
        count(*) filter (where is_done) as done,
    from aged
    where age_days >= 0
    group by business_date, payment_method, age_days // 7

)

select * from final
