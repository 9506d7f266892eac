-- finds: a checkout that is not_paid, or says nothing, with a done payment.
-- why: the customer paid and the order waits; whoever trusts the checkout asks
--   for the money again.
-- do: deliver the order or pay back, and ask the provider to correct the
--   checkout.
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
        done_payment_ids as related_id,
        occurred_at,
        cast(0 as bigint) as expected,
        done_amount_rial as actual,
        'The checkout is '
        || coalesce(status, 'without a status')
        || ', but has '
        || cast(done_count as varchar)
        || case
            when done_count = 1 then ' done payment of {'
            else ' done payments of {'
        end
        || coalesce(cast(done_amount_rial as varchar), 'an unknown amount')
        || '}.' as detail,
    from checkouts
    where
        coalesce(status, 'not_paid') = 'not_paid'
        and done_count > 0

)

select * from final
