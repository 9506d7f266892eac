-- One row: the first and the last instant of the books' orders, by which they cover
-- days, and how many orders there are. One of more than a day ahead says nothing of
-- the days until then: it is counted, and is no end.

with

orders as (

    select * from stg_books__orders

),

settings as (

    select * from stg_settings

),

final as (

    select
        min(orders.occurred_at) filter (
            where orders.occurred_at <= settings.as_of + interval 1 day
        ) as first_at,
        max(orders.occurred_at) filter (
            where orders.occurred_at <= settings.as_of + interval 1 day
        ) as last_at,
        count(*) as order_count,
    from orders
    cross join settings

)

select * from final
