-- One row a checkout of which a later row than the compacted ones speaks: by its
-- id, by a payment that is or was its own, by a number that orders are matched
-- by, or by a receipt.

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

compacted_checkouts as (

    select * from raw_checkouts_compacted

),

compacted_payments as (

    select * from raw_payments_compacted

),

-- they are read whole, so all their numbers count as later ones
other_records as (

    select * from int_provider_records
    where product <> 'unified'

),

ids as (

    select id as checkout_id from later_checkouts
    union all
    select checkout_id from later_payments
    union all
    select compacted_payments.checkout_id
    from compacted_payments
    semi join later_payments
        on compacted_payments.id = later_payments.id

),

numbers as (

    select trim(reference) as number from later_orders
    union all
    select trim(checkout_number) as number from later_checkouts
    union all
    select trim(request_id) as number from later_checkouts
    union all
    select reference as number from other_records

),

receipts as (

    select trim(ref_id) as receipt from later_payments

),

touched as (

    select checkout_id from ids
    union all
    select compacted_checkouts.id as checkout_id
    from compacted_checkouts
    semi join numbers
        on trim(compacted_checkouts.checkout_number) = numbers.number
    union all
    select compacted_checkouts.id as checkout_id
    from compacted_checkouts
    semi join numbers
        on trim(compacted_checkouts.request_id) = numbers.number
    union all
    select compacted_payments.checkout_id
    from compacted_payments
    semi join receipts
        on trim(compacted_payments.ref_id) = receipts.receipt

),

final as (

    select distinct checkout_id
    from touched
    where checkout_id is not null

)

select * from final
