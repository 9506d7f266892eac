-- finds: a checkout that is paid, with no done payment.
-- why: the order is delivered for money that no payment brought.
-- do: read the checkout again; if it stays so, ask the provider for the
--   payment, and look for its amount in the wallet.
-- severity: critical
-- product: unified
-- record: checkout id
-- source: document 3, Resources and their fields, Checkout and Payment.

with

checkouts as (

    select * from int_checkout_payments

),

final as (

    select
        checkout_id as record_id,
        cast(null as varchar) as related_id,
        occurred_at,
        amount_rial as expected,
        cast(0 as bigint) as actual,
        'The checkout of {'
        || coalesce(cast(amount_rial as varchar), 'an unknown amount')
        || '} is paid, but no payment of it is done.' as detail,
    from checkouts
    where
        status = 'paid'
        and done_count = 0

)

select * from final
