-- finds: a checkout with two or more done payments.
-- why: the customer was charged more than once for one order.
-- do: pay the further payments back, and ask why the second one was taken.
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
        amount_rial as expected,
        done_amount_rial as actual,
        'The checkout of {'
        || coalesce(cast(amount_rial as varchar), 'an unknown amount')
        || '} has '
        || cast(done_count as varchar)
        || ' done payments of {'
        || coalesce(cast(done_amount_rial as varchar), 'an unknown amount')
        || '} together.' as detail,
    from checkouts
    where done_count > 1

)

select * from final
