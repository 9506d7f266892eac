-- One row an order or a record of the provider and a customer that it names,
-- where one is known. A mobile number is its last ten digits, however it is
-- written; the books name a customer in a column `customer`, `customer_id`,
-- `customer_mobile`, `mobile` or `phone`. `item_id` is that of
-- int_book_unlinked.

with

orders as (

    select * from stg_books__orders

),

books as (

    select * from raw_books

),

checkouts as (

    select * from stg_unified__checkouts

),

agreements as (

    select * from stg_escrow__agreements

),

transactions as (

    select * from raw_gateway_transactions

),

extras as (

    select
        'order:'
        || coalesce(nullif(trim(orders.product), ''), '')
        || ':'
        || coalesce(trim(orders.reference), '') as item_id,
        unnest(
            [
                json_extract_string(books.extra, '$.customer'),
                json_extract_string(books.extra, '$.customer_id'),
                json_extract_string(books.extra, '$.customer_mobile'),
                json_extract_string(books.extra, '$.mobile'),
                json_extract_string(books.extra, '$.phone'),
            ]
        ) as customer,
    from orders
    inner join books
        on
            orders.pull_id = books.pull_id
            and orders.page_no is not distinct from books.page_no
            and orders.position is not distinct from books.position
    where books.extra is not null

),

named as (

    select
        'order' as side,
        item_id,
        customer,
    from extras
    union all
    select
        'record' as side,
        'record:unified:' || checkout_id as item_id,
        customer_id as customer,
    from checkouts
    union all
    select
        'record' as side,
        'record:unified:' || checkout_id as item_id,
        customer_mobile as customer,
    from checkouts
    union all
    select
        'record' as side,
        'record:gateway:' || token as item_id,
        mobile as customer,
    from transactions
    union all
    select
        'record' as side,
        'record:escrow:' || tracking_code as item_id,
        buyer_mobile as customer,
    from agreements

),

spelled as (

    select
        side,
        item_id,
        translate(
            trim(customer),
            '۰۱۲۳۴۵۶۷۸۹٠١٢٣٤٥٦٧٨٩',
            '01234567890123456789'
        ) as customer,
    from named

),

final as (

    select distinct
        side,
        item_id,
        case
            when
                regexp_matches(
                    replace(customer, ' ', ''),
                    '^(0|98|\+98|0098)?9[0-9]{9}$'
                )
                then 'mobile ' || right(replace(customer, ' ', ''), 10)
            else customer
        end as customer,
    from spelled
    where coalesce(customer, '') <> ''

)

select * from final
