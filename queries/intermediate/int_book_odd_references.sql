-- One row a reference, of an order or a record of the provider, that needs a
-- closer look: all but those that one order and one record have, which agree in
-- product, amount and status. A record is met here by the first of its two
-- numbers; a reference of an order that is the second number of any is odd too.

with

orders as (

    select * from stg_books__orders

),

records as (

    select * from int_provider_records

),

every_order as (

    select trim(reference) as reference
    from stg_books__orders

),

every_record as (

    select * from int_provider_records

),

-- products by number, so that they are quick to compare
sides as (

    select
        trim(reference) as reference,
        1 as side,
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
    from orders
    union all
    select
        coalesce(reference, other_reference) as reference,
        2 as side,
        sent_amount_rial as amount_rial,
        is_paid,
        case product
            when 'unified' then 1
            when 'gateway' then 2
            when 'hosted' then 3
            when 'escrow' then 4
        end as product_number,
    from records
    where
        record_id is not null
        and coalesce(reference, other_reference) is not null

),

odd as (

    select reference
    from sides
    group by reference
    having
        not coalesce(
            count(*) = 2
            and min(side) = 1
            and max(side) = 2
            and count(amount_rial) = 2
            and min(amount_rial) = max(amount_rial)
            and min(case when is_paid then 1 else 0 end)
            = max(case when is_paid then 1 else 0 end)
            and min(product_number) = max(product_number),
            false
        )

),

second_numbers as (

    select other_reference
    from every_record
    where
        record_id is not null
        and reference is not null
        and other_reference is not null
        and other_reference is distinct from reference

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
