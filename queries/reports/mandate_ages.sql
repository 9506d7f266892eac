-- One row a payment method and age of the mandate in weeks, when it was used.
-- For charts and notebooks: how many attempts were done. Amounts are not summed.

with

attempts as (

    select * from int_payment_attempts
    where mandate_id is not null

),

mandates as (

    select * from stg_unified__mandates

),

aged as (

    select
        attempts.payment_method,
        attempts.is_done,
        attempts.business_date,
        date_diff(
            'day',
            cast(mandates.created_at at time zone 'UTC' as date),
            cast(attempts.attempted_at at time zone 'UTC' as date)
        ) // 7 as age_weeks,
    from attempts
    inner join mandates
        on attempts.mandate_id = mandates.mandate_id
    where
        mandates.created_at is not null
        and attempts.attempted_at is not null

),

final as (

    select
        business_date,
        payment_method,
        age_weeks,
        count(*) as attempts,
        count(*) filter (where is_done) as done,
    from aged
    where age_weeks >= 0
    group by business_date, payment_method, age_weeks

)

select * from final
