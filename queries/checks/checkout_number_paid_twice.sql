-- finds: one checkout_number on two or more paid checkouts.
-- why: one invoice was paid more than once, or two orders share a number.
-- do: pay the further checkouts back, or give the orders numbers of their own.
-- severity: error
-- product: unified
-- record: checkout_number
-- source: document 3, Resources and their fields, Checkout.

with

checkouts as (

    select * from stg_unified__checkouts

),

every_checkout as (

    select * from stg_unified__checkouts

),

-- found first, so that only their checkouts are listed
repeated as (

    select checkout_number
    from every_checkout
    where
        status = 'paid'
        and trim(checkout_number) <> ''
    group by checkout_number
    having count(*) > 1

),

numbers as (

    select
        checkouts.checkout_number,
        count(*) as checkout_count,
        cast(sum(checkouts.amount_rial) as bigint) as amount_rial,
        array_to_string(list_sort(list(checkouts.checkout_id)), ' ')
            as checkout_ids,
        max(coalesce(checkouts.created_at, checkouts.updated_at))
            as occurred_at,
    from checkouts
    semi join repeated
        on checkouts.checkout_number = repeated.checkout_number
    where checkouts.status = 'paid'
    group by checkouts.checkout_number

),

final as (

    select
        checkout_number as record_id,
        checkout_ids as related_id,
        occurred_at,
        cast(null as bigint) as expected,
        cast(null as bigint) as actual,
        'The number was paid by '
        || cast(checkout_count as varchar)
        || ' checkouts of '
        || coalesce(cast(amount_rial as varchar), 'an unknown amount')
        || ' together.' as detail,
    from numbers

)

select * from final
