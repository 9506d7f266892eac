-- finds: a payment that waits in pending_redirect for longer than
--   stale_redirect. What a failed pull could not read again is as old as when
--   it was read.
-- why: the customer left the payment page, or the return to the business failed
--   and a paid order waits for its verification.
-- do: read the checkout; verify the payment if the customer paid, else drop it.
-- severity: info
-- product: unified
-- record: payment id
-- source: document 3, States and transitions.

with

payments as (

    select * from int_unsound_payments

),

settings as (

    select * from stg_settings

),

readings as (

    select max(whole_until) as whole_until
    from int_source_readings
    where source = 'checkouts'

),

-- a payment is at least as old as the answer that brought it, whatever its
-- own time
waiting_payments as (

    select
        payments.payment_id,
        payments.checkout_id,
        payments.amount_rial,
        coalesce(payments.created_at, payments.updated_at) as occurred_at,
        date_diff(
            'second',
            least(
                coalesce(payments.created_at, payments.updated_at),
                payments.seen_at
            ),
            case
                when readings.whole_until is null then settings.as_of
                else greatest(readings.whole_until, payments.seen_at)
            end
        ) as waited_seconds,
        settings.stale_redirect_seconds,
    from payments
    cross join settings
    cross join readings
    where payments.status = 'pending_redirect'

),

final as (

    select
        payment_id as record_id,
        checkout_id as related_id,
        occurred_at,
        cast(null as bigint) as expected,
        cast(null as bigint) as actual,
        'The payment of {'
        || coalesce(cast(amount_rial as varchar), 'an unknown amount')
        || '} has waited for {'
        || cast(waited_seconds as varchar)
        || ' seconds}.' as detail,
    from waiting_payments
    where waited_seconds > stale_redirect_seconds

)

select * from final
