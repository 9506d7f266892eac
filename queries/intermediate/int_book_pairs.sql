-- One row a pair of an order and a record of the provider that have a reference in
-- common, and one each for those that have none: whether the two differ in
-- product, amount or status. What more than a thousand orders have is odd anyway: these
-- are paired with nothing, or a number that all have would give a row for each of one
-- side and each of the other. A record is met here by the first of its two numbers.
-- One that no order has is odd, unless nothing is ever asked of it: it is not paid, or
-- it is far from all orders in time, and its number is even (int_book_odd_references).
-- Else, where the books end long before the records, these would all be looked at. One
-- without an id is looked at anyway (int_book_open_records).
-- kept: joined and then grouped in one go, ten million want more memory than either.

with

-- read once more for each: what two read would be held whole
every_order as (

    select hash(reference) as reference_hash
    from stg_books__orders

),

-- few buckets of references are cheap to count: mostly none is that full
full_buckets as (

    select reference_hash % 65536 as bucket
    from every_order
    group by reference_hash % 65536
    having count(*) > 1000

),

order_hashes as (

    select hash(reference) as reference_hash
    from stg_books__orders

),

-- by hashes of 64 bits; two references that share one are odd needlessly
repeated as (

    select order_hashes.reference_hash
    from order_hashes
    semi join full_buckets
        on order_hashes.reference_hash % 65536 = full_buckets.bucket
    group by order_hashes.reference_hash
    having count(*) > 1000

),

-- products by number, so that they are quick to compare
lines as (

    select
        reference,
        hash(reference) as reference_hash,
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

orders as (

    select
        lines.reference,
        lines.amount_rial,
        lines.is_paid,
        lines.product_number,
        case
            when repeated.reference_hash is null then lines.reference
        end as lone_reference,
    from lines
    left join repeated
        on lines.reference_hash = repeated.reference_hash

),

book_ends as (

    select * from int_book_ends

),

settings as (

    select * from stg_settings

),

-- of a checkout whose number begins with a letter or digit nothing else is read
first_numbers as (

    select
        checkout_number as reference,
        product,
        sent_amount_rial as amount_rial,
        is_paid,
        occurred_at,
    from int_provider_records
    where checkout_number between '!' and '~'
    union all
    select
        coalesce(reference, other_reference) as reference,
        product,
        sent_amount_rial as amount_rial,
        is_paid,
        occurred_at,
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
        first_numbers.reference,
        first_numbers.amount_rial,
        first_numbers.is_paid,
        not first_numbers.is_paid
        or first_numbers.occurred_at < book_ends.near_from_at
        or (
            first_numbers.occurred_at > book_ends.near_until_at
            and first_numbers.occurred_at <= settings.as_of
        ) as is_apart,
        case first_numbers.product
            when 'unified' then 1
            when 'gateway' then 2
            when 'hosted' then 3
            when 'escrow' then 4
        end as product_number,
    from first_numbers
    cross join book_ends
    cross join settings

),

-- one pair each, unless several records have a reference
final as (

    select
        coalesce(orders.reference, records.reference) as reference,
        case
            when
                orders.amount_rial = records.amount_rial
                and orders.is_paid = records.is_paid
                and coalesce(orders.product_number, records.product_number)
                = records.product_number
                and trim(orders.reference) = orders.reference
                then 0
            when
                orders.reference is null
                and records.is_apart
                and bit_length(records.reference)
                = 8 * length(records.reference)
                and records.reference >= '!'
                and records.reference not like '''%'
                and right(records.reference, 1) >= '!'
                then 0
            else 1
        end as is_odd,
    from orders
    full join records
        on orders.lone_reference = records.reference

)

select * from final
