-- One row a date, product, method and failure code. Amounts in rials.
-- A date and method without failures has one row with an empty code.
-- Unknown: payment statuses other than done and pending_redirect. A payment that is
-- not done failed if it carries an error, or if its status says `failed`.

with

payments as (

    select * from stg_unified__payments

),

gateway_requests as (

    select * from stg_gateway__requests

),

gateway_transactions as (

    select * from stg_gateway__transactions

),

hosted_requests as (

    select * from stg_hosted__requests

),

hosted_checkouts as (

    select * from stg_hosted__checkouts

),

settings as (

    select * from stg_settings

),

unified_attempts as (

    select
        'unified' as product,
        payment_method,
        created_at as attempted_at,
        amount_rial,
        case
            when status = 'done' then null
            when error_code is not null then error_code
            when lower(status) = 'failed' then status
        end as code,
    from payments

),

gateway_attempts as (

    select
        'gateway' as product,
        '' as payment_method,
        coalesce(
            gateway_transactions.created_at,
            gateway_requests.sent_at
        ) as attempted_at,
        coalesce(
            gateway_transactions.amount_rial,
            gateway_requests.sent_amount_rial
        ) as amount_rial,
        case
            when gateway_requests.verified_at is not null then null
            when gateway_transactions.code in (0, 3, 4)
                then cast(gateway_transactions.code as varchar)
            when gateway_transactions.code is null
                then gateway_transactions.error
        end as code,
    from gateway_requests
    full outer join gateway_transactions
        on gateway_requests.token = gateway_transactions.token

),

hosted_attempts as (

    select
        'hosted' as product,
        '' as payment_method,
        coalesce(
            hosted_checkouts.created_at,
            hosted_requests.sent_at
        ) as attempted_at,
        coalesce(
            hosted_checkouts.amount_rial,
            hosted_requests.sent_amount_rial
        ) as amount_rial,
        case
            when hosted_checkouts.status = 'FAILED' then hosted_checkouts.status
            when hosted_checkouts.status is null then hosted_checkouts.error
        end as code,
    from hosted_requests
    full outer join hosted_checkouts
        on hosted_requests.checkout_id = hosted_checkouts.checkout_id

),

attempts as (

    select * from unified_attempts
    union all
    select * from gateway_attempts
    union all
    select * from hosted_attempts

),

dated as (

    select
        cast(
            attempts.attempted_at at time zone settings.timezone as date
        ) as business_date,
        attempts.product,
        coalesce(attempts.payment_method, '') as payment_method,
        coalesce(attempts.code, '') as code,
        attempts.amount_rial,
    from attempts
    cross join settings

),

by_code as (

    select
        business_date,
        product,
        payment_method,
        code,
        count(*) as code_count,
        sum(amount_rial) as code_rial,
    from dated
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
