-- finds: a transaction that waits for confirmation (code 1) or expired (code
--   3), past verify_window. Not one that waited when it was last looked up and
--   was verified later. What a failed pull could not look up again is as old as
--   when it was read.
-- why: a payment that the business never confirms goes back to the payer; the
--   order is lost although the customer paid.
-- do: verify at once where it still waits; where it expired, tell the customer
--   and see why the return to the shop did not verify.
-- severity: error
-- product: gateway
-- record: token
-- source: document 2, States and transitions, B (code) and Limits.

with

payments as (

    select * from int_gateway_payments

),

settings as (

    select * from stg_settings

),

readings as (

    select max(whole_until) as whole_until
    from int_source_readings
    where source = 'gateway_transactions'

),

-- what could not be read again waited when it was read
waiting as (

    select
        payments.*,
        date_diff(
            'second',
            payments.waiting_since,
            case
                when readings.whole_until is null then settings.as_of
                else greatest(readings.whole_until, payments.looked_up_at)
            end
        ) as waited_seconds,
        settings.verify_window_seconds,
    from payments
    cross join settings
    cross join readings
    where
        payments.code = 3
        or (
            payments.code = 1
            and coalesce(payments.verified_at <= payments.looked_up_at, true)
        )

),

final as (

    select
        token as record_id,
        trans_id as related_id,
        occurred_at,
        cast(null as bigint) as expected,
        cast(null as bigint) as actual,
        'The payment of {'
        || coalesce(
            cast(coalesce(amount_rial, sent_amount_rial) as varchar),
            'an unknown amount'
        )
        || case when code = 3 then '} expired, {' else '} waits, {' end
        || cast(waited_seconds as varchar)
        || ' seconds} after it was sent.' as detail,
    from waiting
    where waited_seconds > verify_window_seconds

)

select * from final
