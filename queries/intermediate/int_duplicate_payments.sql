-- One row an order, or a number that no order has, for which several payments came in
-- that are more than it costs together. In rials. What it costs is what the books
-- have, else the dearest record of its number. `excess_rial` is what came in beyond
-- it, unknown where an amount is. Two payments that make up the order are none.

with

payments as (

    select * from int_order_payments

),

settings as (

    select * from stg_settings

),

orders as (

    select
        min(reference) as reference,
        coalesce(min(book_amount_rial), max(sent_amount_rial)) as order_rial,
        cast(sum(payment_count) as bigint) as together_count,
        case
            when count(received_rial) = count(*)
                then cast(sum(received_rial) as bigint)
        end as received_rial,
        array_to_string(list_sort(list(product || ':' || record_id)), ' ')
            as records,
        min(occurred_at) as first_at,
        max(occurred_at) as last_at,
    from payments
    group by order_id

),

final as (

    select
        orders.reference,
        orders.order_rial,
        orders.together_count as payment_count,
        orders.received_rial,
        orders.received_rial - orders.order_rial as excess_rial,
        orders.records,
        orders.first_at,
        orders.last_at,
    from orders
    cross join settings
    where
        orders.together_count > 1
        and coalesce(
            orders.received_rial - orders.order_rial > settings.tolerance_rial,
            true
        )

)

select * from final
