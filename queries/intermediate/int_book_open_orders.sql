-- One row a key of the books whose reference is open: its record is not plain.
-- Amounts in rials.

with

orders as (

    select * from int_book_orders

),

open_references as (

    select * from int_book_open_references

),

final as (

    select orders.*
    from orders
    semi join open_references
        on orders.reference is not distinct from open_references.reference

)

select * from final
