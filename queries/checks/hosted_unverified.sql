-- finds: a hosted checkout in PENDING_VERIFY for longer than verify_window.
--   What a failed pull could not inquire again is as old as when it was read.
-- why: a checkout that the business does not verify counts as failed, and the
--   customer's money goes back.
-- do: inquire and verify it; see why the return to the shop did not.
-- severity: error
-- product: hosted
-- record: id
-- source: document 2, States and transitions, C.

with

payments as (

    select * from int_hosted_payments

),

settings as (

    select * from stg_settings

),

readings as (

    select max(whole_until) as whole_until
    from int_source_readings
    where source = 'hosted_checkouts'

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
                else greatest(readings.whole_until, payments.inquired_at)
            end
        ) as waited_seconds,
        settings.verify_window_seconds,
    from payments
    cross join settings
    cross join readings
    where payments.status = 'PENDING_VERIFY'

),

final as (

    select
        checkout_id as record_id,
        checkout_number as related_id,
        occurred_at,
        cast(null as bigint) as expected,
        cast(null as bigint) as actual,
        'The checkout of {'
        || coalesce(
            cast(coalesce(amount_rial, sent_amount_rial) as varchar),
            'an unknown amount'
        )
        || '} has waited for {'
        || cast(waited_seconds as varchar)
        || ' seconds} to be verified.' as detail,
    from waiting
    where waited_seconds > verify_window_seconds

)

select * from final
