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

    select * from int_wallet_timeouts

),

final as (

    select
        payment_id as record_id,
        checkout_id as related_id,
        coalesce(paid_at, created_at) as occurred_at,
        cast(null as bigint) as expected,
        cast(null as bigint) as actual,
        '{'
        || coalesce(cast(amount_rial as varchar), 'An unknown amount')
        || '} may have been withdrawn, with wage {'
        || coalesce(cast(wage_rial as varchar), 'unknown')
        || '}.' as detail,
    from payments

)

select * from final
