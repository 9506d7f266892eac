-- finds: a debit payment of another payment method than its mandate's.
-- why: the mandate permits withdrawals through one bank's method only; fees and
--   failure rates are then counted for the wrong one.
-- do: see which method the order used, and ask the provider which account paid.
-- severity: error
-- product: unified
-- record: payment id
-- source: document 3, Resources and their fields, Mandate and Payment.

with

payments as (

    select * from int_mandate_misuses

),

final as (

    select
        payment_id as record_id,
        mandate_id as related_id,
        used_at as occurred_at,
        cast(null as bigint) as expected,
        cast(null as bigint) as actual,
        'The payment is of '
        || coalesce(payment_method, 'no payment method')
        || ', its mandate of '
        || coalesce(mandate_payment_method, 'none')
        || '.' as detail,
    from payments
    where
        is_mandate_known
        and payment_method is distinct from mandate_payment_method

)

select * from final
