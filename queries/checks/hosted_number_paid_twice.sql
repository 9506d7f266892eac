-- finds: one checkout_number on two or more succeeded hosted checkouts.
-- why: one invoice was paid more than once, or two orders share a number.
-- do: pay the further checkouts back, or give the orders numbers of their own.
-- severity: error
-- product: hosted
-- record: checkout_number
-- source: document 2, Resources and their fields, C. Hosted checkout.

with

payments as (

    select * from int_hosted_payments

),

numbers as (

    select
        checkout_number,
        count(*) as checkout_count,
        case
            when count(amount_rial) = count(*)
                then cast(sum(amount_rial) as bigint)
        end as amount_rial,
        array_to_string(list_sort(list(checkout_id)), ' ') as checkout_ids,
        max(occurred_at) as occurred_at,
    from payments
    where
        status = 'SUCCEED'
        and checkout_number is not null
    group by checkout_number

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
        || ' checkouts of {'
        || coalesce(cast(amount_rial as varchar), 'an unknown amount')
        || '} together.' as detail,
    from numbers
    where checkout_count > 1

)

select * from final
