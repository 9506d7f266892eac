-- One row an unlinked order and an unlinked paid record of exactly its amount,
-- at most 24 hours apart. Amounts in rials. `is_unique` where neither has
-- another such candidate. An item with more than twenty candidates is not
-- paired: they tell nothing, and int_book_unlinked has their number.

with

unlinked as (

    select * from int_book_unlinked

),

candidates as (

    select *
    from unlinked
    where candidate_count between 1 and 20

),

orders as (

    select * from candidates
    where side = 'order'

),

records as (

    select * from candidates
    where side = 'record'

),

final as (

    select
        orders.item_id as order_item_id,
        records.item_id as record_item_id,
        orders.order_id,
        orders.reference,
        orders.occurred_at as book_occurred_at,
        records.product,
        records.record_id,
        records.occurred_at,
        orders.amount_rial,
        date_diff('second', orders.occurred_at, records.occurred_at)
            as later_seconds,
        orders.candidate_count = 1 and records.candidate_count = 1 as is_unique,
    from orders
    inner join records
        on
            orders.amount_rial = records.amount_rial
            and coalesce(orders.product, records.product) = records.product
            and records.occurred_at >= orders.occurred_at - interval 24 hours
            and records.occurred_at <= orders.occurred_at + interval 24 hours

)

select * from final
