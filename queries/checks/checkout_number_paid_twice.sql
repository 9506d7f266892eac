-- finds: one checkout_number on two or more paid checkouts.
-- why: one invoice was paid more than once, or two orders share a number.
-- do: pay the further checkouts back, or give the orders numbers of their own.
-- severity: error
-- product: unified
-- record: checkout_number
-- source: document 3, Resources and their fields, Checkout.

with

-- a number that two records have is never plain
records as (

    select * from int_book_open_records
    where product = 'unified'

),

numbers as (

    select
        trim(checkout_number) as checkout_number,
        count(*) as checkout_count,
        case
            when count(sent_amount_rial) = count(*)
                then cast(sum(sent_amount_rial) as bigint)
        end as amount_rial,
        array_to_string(list_sort(list(record_id)), ' ') as checkout_ids,
        max(occurred_at) as occurred_at,
    from records
    where
        is_paid
        and trim(checkout_number) <> ''
    group by trim(checkout_number)
    having count(*) > 1

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

)

select * from final
