-- One row a checkout of which a later row than the compacted ones speaks: by its
-- id, by a payment that is or was its own, by a number that orders are matched
-- by, or by a receipt; an empty one is nobody's. Those whose own number or receipt
-- has a space at an end are not looked for by it, nor those whose number an order may
-- spell otherwise: they are never cleared.

with

later_checkouts as (

    select * from raw_checkouts_later

),

later_payments as (

    select * from raw_payments_later

),

later_orders as (

    select * from raw_books_later

),

-- each is read for one of its names: what two read would be held whole
checkouts_by_number as (

    select * from raw_checkouts_compacted

),

checkouts_by_request as (

    select * from raw_checkouts_compacted

),

payments_by_id as (

    select * from raw_payments_compacted

),

payments_by_receipt as (

    select * from raw_payments_compacted

),

-- they are read whole, so all their numbers count as later ones
other_records as (

    select * from int_other_product_records

),

ids as (

    select id as checkout_id from later_checkouts
    union all
    select checkout_id from later_payments
    union all
    select payments_by_id.checkout_id
    from payments_by_id
    semi join later_payments
        on payments_by_id.id = later_payments.id

),

spelled as (

    select trim(reference) as number from later_orders
    union all
    select trim(checkout_number) as number from later_checkouts
    union all
    select trim(request_id) as number from later_checkouts
    union all
    select reference as number from other_records

),

-- bare as in int_book_odd_references: what has the bare number is open with it
every_number as (

    select number from spelled
    union all
    select
        translate(
            regexp_replace(
                number,
                '^[\p{Z}\p{Cc}\p{Cf}'']+|[\p{Z}\p{Cc}\p{Cf}]+$',
                '',
                'g'
            ),
            '۰۱۲۳۴۵۶۷۸۹٠١٢٣٤٥٦٧٨٩يىك',
            '01234567890123456789ییک'
        ) as number,
    from spelled
    where
        bit_length(number) <> 8 * length(number)
        or number < '!'
        or number like '''%'
        or right(number, 1) < '!'

),

numbers as (

    select number
    from every_number
    where number <> ''

),

receipts as (

    select trim(ref_id) as receipt
    from later_payments
    where trim(ref_id) <> ''

),

touched as (

    select checkout_id from ids
    union all
    select checkouts_by_number.id as checkout_id
    from checkouts_by_number
    semi join numbers
        on checkouts_by_number.checkout_number = numbers.number
    union all
    select checkouts_by_request.id as checkout_id
    from checkouts_by_request
    semi join numbers
        on checkouts_by_request.request_id = numbers.number
    union all
    select payments_by_receipt.checkout_id
    from payments_by_receipt
    semi join receipts
        on payments_by_receipt.ref_id = receipts.receipt

),

final as (

    select distinct checkout_id
    from touched
    where checkout_id is not null

)

select * from final
