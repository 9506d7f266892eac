-- One row: when what the books have of their last two days was last imported. What
-- came later, on a date that they cover, the next import may have.

with

orders as (

    select * from stg_books__orders

),

ends as (

    select * from int_book_ends

),

final as (

    select max(orders.seen_at) as exported_at
    from orders
    inner join ends
        on
            orders.occurred_at <= ends.last_at
            and orders.occurred_at >= ends.last_at - interval 48 hours

)

select * from final
