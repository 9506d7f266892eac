-- One row a plain order whose record is outside of the dates of the books; by a hash
-- that two numbers share, an order of another number may be among them.
-- kept: of very many orders they are few.

with

plain_orders as (

    select
        reference,
        hash(reference) as reference_hash,
    from int_book_plain_orders

),

numbers as (

    select * from int_book_outer_numbers

),

final as (

    select plain_orders.reference
    from plain_orders
    semi join numbers
        on plain_orders.reference_hash = numbers.reference_hash

)

select * from final
