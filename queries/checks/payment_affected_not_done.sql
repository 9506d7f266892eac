-- finds: a payment that is not done, but has an affected amount other than
--   zero.
-- why: the wallet moved for a payment that did not happen, the payment happened
--   and its status is wrong, or the affected amount is.
-- do: look for the amount in the wallet's statement; if it is there, the order
--   may be delivered or the customer must be paid back.
-- severity: critical
-- product: unified
-- record: payment id
-- source: document 3, Resources and their fields, Payment.

with

payments as (

    select * from int_unsound_payments

),

final as (

    select
        payment_id as record_id,
        checkout_id as related_id,
        coalesce(paid_at, created_at) as occurred_at,
        cast(0 as bigint) as expected,
        affected_rial as actual,
        'The payment is '
        || coalesce(status, 'without a status')
        || ', yet by its affected amount the wallet changed by {'
        || cast(affected_rial as varchar)
        || '}.' as detail,
    from payments
    where
        status is distinct from 'done'
        and affected_rial <> 0

)

select * from final
