-- One row a business date and a product as the books name it: their orders by
-- status, and those that a reference links to one record for certain. Amounts in
-- rials, as the books have them. An order of a reference that is not open agrees
-- with its one record, so that the records need not be read for it.

with

plain_orders as (

    select * from int_book_plain_orders

),

open_orders as (

    select * from int_book_open_orders

),

certain_matches as (

    select order_id
    from int_book_open_matches
    where confidence = 'certain'

),

settings as (

    select * from stg_settings

),

orders as (

    select
        cast(
            plain_orders.occurred_at at time zone settings.timezone as date
        ) as business_date,
        plain_orders.product,
        plain_orders.status,
        plain_orders.amount_rial,
        true as is_matched,
    from plain_orders
    cross join settings
    union all
    select
        open_orders.business_date,
        open_orders.product,
        open_orders.status,
        open_orders.amount_rial,
        certain_matches.order_id is not null as is_matched,
    from open_orders
    left join certain_matches
        on open_orders.order_id = certain_matches.order_id

),

counted as (

    select
        business_date,
        product,
        status,
        is_matched,
        count(*) as order_count,
        sum(amount_rial) as sum_rial,
    from orders
    group by business_date, product, status, is_matched

),

final as (

    select
        business_date,
        product,
        cast(
            coalesce(sum(order_count) filter (where status = 'paid'), 0) as bigint
        ) as paid_orders,
        cast(
            coalesce(sum(sum_rial) filter (where status = 'paid'), 0) as bigint
        ) as paid_amount,
        cast(
            coalesce(sum(order_count) filter (where status = 'unpaid'), 0)
            as bigint
        ) as unpaid_orders,
        cast(
            coalesce(sum(sum_rial) filter (where status = 'unpaid'), 0) as bigint
        ) as unpaid_amount,
        cast(
            coalesce(sum(order_count) filter (where status = 'refunded'), 0)
            as bigint
        ) as refunded_orders,
        cast(
            coalesce(sum(sum_rial) filter (where status = 'refunded'), 0)
            as bigint
        ) as refunded_amount,
        cast(
            coalesce(sum(order_count) filter (where is_matched), 0) as bigint
        ) as matched_orders,
        cast(
            coalesce(sum(sum_rial) filter (where is_matched), 0) as bigint
        ) as matched_amount,
    from counted
    group by business_date, product

)

select * from final
