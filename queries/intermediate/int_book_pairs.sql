-- One row a pair of an order and a record of the provider that have a reference in
-- common, and one each for those that have none: whether the two differ in
-- product, amount or status. A record is met here by the first of its two numbers.
-- kept: joined and then grouped in one go, ten million want more memory than either.

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
final as (

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

)

select * from final
