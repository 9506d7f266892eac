-- One row a date, product, method and failure code. Amounts in rials.
-- A date and method without failures has one row with an empty code.

with

attempts as (

    select * from int_payment_attempts

),

by_code as (

    select
        business_date,
        product,
        payment_method,
        code,
        count(*) as code_count,
        sum(amount_rial) as code_rial,
    from attempts
    group by business_date, product, payment_method, code

),

with_attempts as (

    select
        *,
        sum(code_count) over (
            partition by business_date, product, payment_method
        ) as attempt_count,
        max(code) over (
            partition by business_date, product, payment_method
        ) as last_code,
    from by_code

),

final as (

    select
        business_date,
        product,
        payment_method,
        code,
        cast(attempt_count as bigint) as attempts,
        case when code = '' then 0 else code_count end as failed,
        cast(
            case when code = '' then 0 else coalesce(code_rial, 0) end as bigint
        ) as amount_failed,
    from with_attempts
    where
        code <> ''
        or last_code = ''

)

select * from final
