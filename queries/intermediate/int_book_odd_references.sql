-- One row a reference, of an order or a record of the provider, that needs a
-- closer look: all but those that one order and one record have, which agree in
-- product, amount and status. A record is met here by the first of its two
-- numbers; a reference of an order that is the second number of any is odd too,
-- and so is one with a space at an end: it is listed as it is spelled in the
-- books, and without the space.

with

-- products by number, so that they are quick to compare
orders as (

    select
        reference,
        amount_rial,
        coalesce(status in ('paid', 'refunded'), false) as is_paid,
        case trim(product)
            when 'unified' then 1
            when 'gateway' then 2
            when 'hosted' then 3
            when 'escrow' then 4
            when '' then null
            else case when product is not null then 5 end
        end as product_number,
    from stg_books__orders

),

-- of a checkout whose number begins with a letter or digit nothing else is read
first_numbers as (

    select
        checkout_number as reference,
        product,
        record_id,
        sent_amount_rial as amount_rial,
        is_paid,
    from int_provider_records
    where checkout_number between '!' and '~'
    union all
    select
        coalesce(reference, other_reference) as reference,
        product,
        record_id,
        sent_amount_rial as amount_rial,
        is_paid,
    from int_provider_records
    where
        (
            checkout_number is null
            or checkout_number < '!'
            or checkout_number > '~'
        )
        and coalesce(reference, other_reference) is not null

),

records as (

    select
        reference,
        amount_rial,
        is_paid,
        record_id is not null as has_id,
        case product
            when 'unified' then 1
            when 'gateway' then 2
            when 'hosted' then 3
            when 'escrow' then 4
        end as product_number,
    from first_numbers

),

-- one pair each, unless a reference is repeated on either side
pairs as (

    select
        coalesce(orders.reference, records.reference) as reference,
        case
            when
                records.has_id
                and orders.amount_rial = records.amount_rial
                and orders.is_paid = records.is_paid
                and coalesce(orders.product_number, records.product_number)
                = records.product_number
                and trim(orders.reference) = orders.reference
                then 0
            else 1
        end as is_odd,
    from orders
    full join records
        on orders.reference = records.reference

),

odd as (

    select reference
    from pairs
    group by reference
    having
        count(*) > 1
        or max(is_odd) = 1

),

-- any version may be looked at: what is odd needlessly comes to the same
every_order as (

    select reference from raw_books_standing

),

-- most second numbers are longer than any order's: these need no look-up
order_lengths as (

    select distinct length(reference) as letter_count
    from raw_books_standing

),

second_numbers as (

    select trim(checkouts.request_id) as reference
    from raw_checkouts_standing as checkouts
    left join order_lengths
        on length(checkouts.request_id) = order_lengths.letter_count
    where
        checkouts.checkout_number <> ''
        and checkouts.request_id <> checkouts.checkout_number
        and (
            order_lengths.letter_count is not null
            or checkouts.request_id like ' %'
            or checkouts.request_id like '% '
        )

),

named_otherwise as (

    select second_numbers.reference
    from second_numbers
    semi join every_order
        on second_numbers.reference = every_order.reference

),

final as (

    select reference from odd
    union
    select trim(reference) as reference from odd
    union
    select reference from named_otherwise

)

select * from final
