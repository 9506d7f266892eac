-- One row: the first and the last instant of the books' orders, by which they cover
-- days, and how many orders there are. One of more than a day ahead says nothing of
-- the days until then: it is counted, and is no end. Until now, no order is within
-- two days of an instant before `near_from_at` or after `near_until_at`.

with

orders as (

    select * from stg_books__orders

),

settings as (

    select * from stg_settings

),

ends as (

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

),

final as (

    select
        first_at,
        last_at,
        order_count,
        first_at - interval 48 hours as near_from_at,
        last_at + interval 48 hours as near_until_at,
    from ends

)

select * from final
