-- finds: a paid checkout with exactly one done payment, whose amount is not the
--   checkout's, or where one of the two is missing.
-- why: the customer paid more or less than the order costs.
-- do: pay the excess back or ask for the rest; ask the provider how one
--   checkout took another amount.
-- severity: critical
-- product: unified
-- record: checkout id
-- source: document 3, Resources and their fields, Checkout and Payment.

with

checkouts as (

    select * from int_checkout_payments

),

settings as (

    select * from stg_settings

),

final as (

    select
        checkouts.checkout_id as record_id,
        checkouts.done_payment_ids as related_id,
        checkouts.occurred_at,
        checkouts.amount_rial as expected,
        checkouts.done_amount_rial as actual,
        'The checkout asks for {'
        || coalesce(cast(checkouts.amount_rial as varchar), 'an unknown amount')
        || '}, its done payment is of {'
        || coalesce(
            cast(checkouts.done_amount_rial as varchar), 'an unknown amount'
        )
        || '}.' as detail,
    from checkouts
    cross join settings
    where
        checkouts.status = 'paid'
        and checkouts.done_count = 1
        and coalesce(
            abs(checkouts.done_amount_rial - checkouts.amount_rial)
            > settings.tolerance_rial,
            true
        )

)

select * from final
