-- finds: a payment that ended with WITHDRAWAL_TIMEOUT, while its checkout has
--   no done payment.
-- why: the bank gave no answer in time; the money may have left the customer's
--   account and reached the wallet, though nothing says so.
-- do: wait for the next balance of the wallet, which may show it; else ask the
--   provider for the outcome before the customer is charged again.
-- severity: warning
-- product: unified
-- record: payment id
-- source: document 3, Resources and their fields, Payment (error).

with

payments as (

    select * from stg_unified__payments

),

every_payment as (

    select * from stg_unified__payments

),

timed_out_payments as (

    select * from payments
    where error_code = 'WITHDRAWAL_TIMEOUT'

),

done_payments as (

    select every_payment.checkout_id
    from every_payment
    semi join timed_out_payments
        on every_payment.checkout_id = timed_out_payments.checkout_id
    where every_payment.status = 'done'

),

final as (

    select
        timed_out_payments.payment_id as record_id,
        timed_out_payments.checkout_id as related_id,
        coalesce(
            timed_out_payments.paid_at, timed_out_payments.created_at
        ) as occurred_at,
        cast(null as bigint) as expected,
        cast(null as bigint) as actual,
        coalesce(
            cast(timed_out_payments.amount_rial as varchar), 'An unknown amount'
        )
        || ' may have been withdrawn, with wage '
        || coalesce(
            cast(timed_out_payments.wage_rial as varchar), 'unknown'
        )
        || '.' as detail,
    from timed_out_payments
    anti join done_payments
        on timed_out_payments.checkout_id = done_payments.checkout_id

)

select * from final
