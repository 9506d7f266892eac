-- One row a product, payment method and business date: what the done records cost.
-- Amounts in rials. `expected_wage` is what the imported tariff gives; null where a
-- record of that day has no line in it. A deposit under two requests counts once.

with

wages as (

    select * from int_wages

),

settings as (

    select * from stg_settings

),

dates as (

    select * from stg_dates

),

dated as (

    select
        wages.product,
        coalesce(wages.payment_method, '') as payment_method,
        case
            when wages.occurred_at < cast('0001-01-02 00:00:00+00' as timestamptz)
                then cast('0001-01-01' as date)
            when wages.occurred_at < cast('9999-12-31 00:00:00+00' as timestamptz)
                then cast(
                    wages.occurred_at at time zone settings.timezone as date
                )
            when wages.occurred_at is not null then cast('9999-12-31' as date)
        end as business_date,
        wages.amount_rial,
        wages.wage_rial,
        wages.expected_wage_rial,
    from wages
    cross join settings

),

by_date as (

    select
        product,
        payment_method,
        business_date,
        count(*) as count,
        cast(coalesce(sum(amount_rial), 0) as bigint) as amount,
        cast(coalesce(sum(wage_rial), 0) as bigint) as wage,
        cast(
            case
                when count(*) = count(expected_wage_rial)
                    then sum(expected_wage_rial)
            end as bigint
        ) as expected_wage,
    from dated
    group by product, payment_method, business_date

),

final as (

    select
        by_date.product,
        by_date.payment_method,
        by_date.business_date,
        dates.month,
        by_date.count,
        by_date.amount,
        by_date.wage,
        by_date.expected_wage,
    from by_date
    left join dates
        on by_date.business_date = dates.business_date

)

select * from final
