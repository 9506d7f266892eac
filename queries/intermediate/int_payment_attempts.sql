-- One row an attempt to pay, done or not. Amounts in rials.
-- `code` says why it failed, empty where it did not. Unknown: payment statuses other
-- than done and pending_redirect. A payment that is not done failed if it carries an
-- error, or if its status says `failed`; an error may lack its code.
-- streamed: each reader takes a few columns of very many rows.

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
        payment_id as record_id,
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

-- a verify result counts without its time, too
gateway_verified as (

    select
        *,
        real_amount_rial is not null
        or wage_rial is not null
        or verified_at is not null as is_verified,
    from gateway_requests

),

gateway_attempts as (

    select
        'gateway' as product,
        coalesce(gateway_verified.token, gateway_transactions.token) as record_id,
        cast(null as varchar) as mandate_id,
        '' as payment_method,
        coalesce(
            gateway_transactions.created_at,
            gateway_verified.sent_at
        ) as attempted_at,
        coalesce(
            gateway_transactions.amount_rial,
            gateway_verified.sent_amount_rial
        ) as amount_rial,
        case
            when gateway_verified.is_verified then null
            when gateway_transactions.code in (0, 3, 4)
                then cast(gateway_transactions.code as varchar)
            when gateway_transactions.code is null
                then gateway_transactions.error
        end as code,
        coalesce(gateway_verified.is_verified, false)
        or coalesce(gateway_transactions.code = 2, false) as is_done,
    from gateway_verified
    full outer join gateway_transactions
        on gateway_verified.token = gateway_transactions.token

),

hosted_attempts as (

    select
        'hosted' as product,
        coalesce(
            hosted_requests.checkout_id,
            hosted_checkouts.checkout_id
        ) as record_id,
        cast(null as varchar) as mandate_id,
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
        coalesce(hosted_checkouts.status = 'SUCCEED', false) as is_done,
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

final as (

    select
        attempts.product,
        attempts.record_id,
        nullif(attempts.mandate_id, '') as mandate_id,
        coalesce(attempts.payment_method, '') as payment_method,
        attempts.attempted_at,
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
