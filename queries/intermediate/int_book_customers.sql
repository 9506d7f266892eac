-- One row an unlinked order or record of the provider and a customer that it
-- names, where one is known. A mobile number is its last ten digits, however it
-- is written; the books name a customer in a column `customer`, `customer_id`,
-- `customer_mobile`, `mobile` or `phone`. `item_id` is that of
-- int_book_unlinked.

with

-- few, as the planner then knows: of the checkouts it reads what may be theirs
unlinked as not materialized (

    select * from int_book_unlinked

),

orders as (

    select * from stg_books__orders

),

books as (

    select * from raw_books_standing

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

unlinked_orders as (

    select
        item_id,
        reference,
        product,
    from unlinked
    where side = 'order'

),

unlinked_records as (

    select
        item_id,
        product,
        record_id,
    from unlinked
    where side = 'record'

),

lines as (

    select
        unlinked_orders.item_id,
        orders.pull_id,
        orders.page_no,
        orders.position,
    from orders
    inner join unlinked_orders
        on
            trim(orders.reference)
            is not distinct from unlinked_orders.reference
            and nullif(trim(orders.product), '')
            is not distinct from unlinked_orders.product

),

extras as (

    select
        lines.item_id,
        unnest(
            [
                json_extract_string(books.extra, '$.customer'),
                json_extract_string(books.extra, '$.customer_id'),
                json_extract_string(books.extra, '$.customer_mobile'),
                json_extract_string(books.extra, '$.mobile'),
                json_extract_string(books.extra, '$.phone'),
            ]
        ) as customer,
    from books
    inner join lines
        on
            books.position is not distinct from lines.position
            and books.page_no is not distinct from lines.page_no
            and books.pull_id = lines.pull_id
    where books.extra is not null

),

buyers as (

    select
        unlinked_records.item_id,
        checkouts.customer_id,
        checkouts.customer_mobile,
    from checkouts
    inner join unlinked_records
        on checkouts.checkout_id = unlinked_records.record_id
    where unlinked_records.product = 'unified'

),

named as (

    select
        item_id,
        customer,
    from extras
    union all
    select
        item_id,
        customer_id as customer,
    from buyers
    union all
    select
        item_id,
        customer_mobile as customer,
    from buyers
    union all
    select
        unlinked_records.item_id,
        transactions.mobile as customer,
    from transactions
    inner join unlinked_records
        on transactions.token = unlinked_records.record_id
    where unlinked_records.product = 'gateway'
    union all
    select
        unlinked_records.item_id,
        agreements.buyer_mobile as customer,
    from agreements
    inner join unlinked_records
        on agreements.tracking_code = unlinked_records.record_id
    where unlinked_records.product = 'escrow'

),

spelled as (

    select
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
