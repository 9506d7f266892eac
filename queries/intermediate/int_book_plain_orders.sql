-- One row an order of a reference that is not open: it stands once in the books,
-- without a space at an end, and agrees with its one record. Amounts in rials.
-- streamed: each reader takes a few columns of very many rows.

with

orders as (

    select * from stg_books__orders

),

open_references as (

    select * from int_book_open_references

),

final as (

    select
        orders.reference,
        nullif(trim(orders.product), '') as product,
        orders.amount_rial,
        orders.status,
        orders.occurred_at,
    from orders
    anti join open_references
        on orders.reference is not distinct from open_references.reference

)

select * from final
