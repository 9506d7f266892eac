-- One row a reference, of an order or a record of the provider, that needs a
-- closer look: all but those that one order and one record have, which agree in
-- product, amount and status. A record is met here by the first of its two
-- numbers; a reference of an order that is the second number of any is odd too.

with

-- products by number, so that they are quick to compare
orders as (

    select
        trim(reference) as reference,
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

first_numbers as (

    select
        coalesce(reference, other_reference) as reference,
        sent_amount_rial as amount_rial,
        is_paid,
        record_id is not null as has_id,
        case product
            when 'unified' then 1
            when 'gateway' then 2
            when 'hosted' then 3
            when 'escrow' then 4
        end as product_number,
    from int_provider_records
    where coalesce(reference, other_reference) is not null

),

-- one pair each, unless a reference is repeated on either side
pairs as (

    select
        coalesce(orders.reference, first_numbers.reference) as reference,
        case
            when
                first_numbers.has_id
                and orders.amount_rial = first_numbers.amount_rial
                and orders.is_paid = first_numbers.is_paid
                and coalesce(
                    orders.product_number, first_numbers.product_number
                )
                = first_numbers.product_number
                then 0
            else 1
        end as is_odd,
    from orders
    full join first_numbers
        on orders.reference = first_numbers.reference

),

odd as (

    select reference
    from pairs
    group by reference
    having
        count(*) > 1
        or max(is_odd) = 1

),

every_order as (

    select trim(reference) as reference
    from stg_books__orders

),

-- most second numbers are longer than any order's: these need no look-up
order_lengths as (

    select distinct length(trim(reference)) as letter_count
    from stg_books__orders

),

second_numbers as (

    select records.other_reference
    from int_provider_records as records
    semi join order_lengths
        on length(records.other_reference) = order_lengths.letter_count
    where
        records.record_id is not null
        and records.reference is not null
        and records.other_reference is distinct from records.reference

),

named_otherwise as (

    select second_numbers.other_reference as reference
    from second_numbers
    semi join every_order
        on second_numbers.other_reference = every_order.reference

),

final as (

    select reference from odd
    union
    select reference from named_otherwise

)

select * from final
