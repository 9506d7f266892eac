-- One row an attempt to pay, done or not. Amounts in rials.
-- `code` says why it failed, empty where it did not. Unknown: payment statuses other
-- than done and pending_redirect. A payment that is not done failed if it carries an
-- error, or if its status says `failed`; an error may lack its code.
-- streamed: each reader takes a few columns of very many rows.

with

payments as (

    select * from stg_unified__payments

),

gateway_payments as (

    select * from int_gateway_payments

),

hosted_payments as (

    select * from int_hosted_payments

),

settings as (

    select * from stg_settings

),

unified_attempts as (

    select
        'unified' as product,
        mandate_id,
        payment_method,
        created_at as attempted_at,
        amount_rial,
        case
            when status = 'done' then null
            when error_code <> '' then error_code
            when lower(status) = 'failed' then status
            when error_code is not null or error_message <> '' then 'unknown'
        end as code,
        coalesce(status = 'done', false) as is_done,
    from payments

),

gateway_attempts as (

    select
        'gateway' as product,
        cast(null as varchar) as mandate_id,
        '' as payment_method,
        coalesce(created_at, sent_at) as attempted_at,
        coalesce(amount_rial, sent_amount_rial) as amount_rial,
        case
            when is_verified then null
            when code in (0, 3, 4) then cast(code as varchar)
            when code is null then error
        end as code,
        is_verified or coalesce(code = 2, false) as is_done,
    from gateway_payments

),

hosted_attempts as (

    select
        'hosted' as product,
        cast(null as varchar) as mandate_id,
        '' as payment_method,
        occurred_at as attempted_at,
        coalesce(amount_rial, sent_amount_rial) as amount_rial,
        case
            when status = 'FAILED' then status
            when status is null then error
        end as code,
        coalesce(status = 'SUCCEED', false) as is_done,
    from hosted_payments

),

attempts as (

    select * from unified_attempts
    union all
    select * from gateway_attempts
    union all
    select * from hosted_attempts

),

final as (

    select
        attempts.product,
        nullif(attempts.mandate_id, '') as mandate_id,
        coalesce(attempts.payment_method, '') as payment_method,
        case
            when attempts.attempted_at < cast('0001-01-02 00:00:00+00' as timestamptz)
                then cast('0001-01-01' as date)
            when attempts.attempted_at < cast('9999-12-31 00:00:00+00' as timestamptz)
                then cast(
                    attempts.attempted_at at time zone settings.timezone as date
                )
            when attempts.attempted_at is not null then cast('9999-12-31' as date)
        end as business_date,
        extract(
            hour from attempts.attempted_at at time zone settings.timezone
        ) as business_hour,
        attempts.amount_rial,
        coalesce(attempts.code, '') as code,
        attempts.is_done,
    from attempts
    cross join settings

)

select * from final
