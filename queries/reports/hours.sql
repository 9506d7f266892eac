-- One row a date, hour of the business's clock, product and method. In rials.
-- For charts and notebooks: attempts to pay, how many failed, what was done.

with

attempts as (

    select * from int_payment_attempts

),

final as (

    select
        business_date,
        cast(business_hour as bigint) as business_hour,
        product,
        payment_method,
        count(*) as attempts,
        count(*) filter (where code <> '') as failed,
        count(*) filter (where is_done) as done,
        cast(
            coalesce(sum(amount_rial) filter (where is_done), 0) as bigint
        ) as done_amount,
    from attempts
    where business_date is not null
    group by business_date, business_hour, product, payment_method

)

select * from final
