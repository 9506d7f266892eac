-- One row an order that no reference links to a record (`side` order), or a
-- paid record that none links to an order (`side` record), but for those that are
-- far from every order, by time and by number. Amounts in rials. An unpaid order
-- asks for no record. `candidate_count` is how many of the other side have exactly
-- this amount within a day either side, in the product that the order names. The
-- window is 24 hours here and in int_book_near_pairs.

with

orders as (

    select * from int_book_open_orders

),

records as (

    select * from int_book_open_records

),

links as (

    select * from int_book_links

),

items as (

    select
        'order' as side,
        'order:' || orders.order_id as item_id,
        orders.order_id,
        orders.product,
        cast(null as varchar) as record_id,
        orders.reference,
        orders.amount_rial,
        orders.occurred_at,
    from orders
    anti join links
        on orders.order_id = links.order_id
    where
        orders.status in ('paid', 'refunded')
        and not orders.is_repeated
    union all
    select
        'record' as side,
        'record:' || records.product || ':' || records.record_id as item_id,
        cast(null as varchar) as order_id,
        records.product,
        records.record_id,
        records.reference,
        records.sent_amount_rial as amount_rial,
        records.occurred_at,
    from records
    anti join links
        on
            records.product = links.product
            and records.record_id = links.record_id
    where records.is_paid

),

-- counted by windows, not by a join: a shop of one price would have as many
-- pairs as orders times records
counted as (

    select
        *,
        sum(case when side = 'record' then 1 else 0 end)
            over same_amount as records_near,
        sum(case when side = 'record' then 1 else 0 end)
            over same_product as product_records_near,
        sum(case when side = 'order' and product is null then 1 else 0 end)
            over same_amount as free_orders_near,
        sum(case when side = 'order' and product is not null then 1 else 0 end)
            over same_product as product_orders_near,
    from items
    window
        same_amount as (
            partition by amount_rial
            order by occurred_at
            range between interval 24 hours preceding
            and interval 24 hours following
        ),
        same_product as (
            partition by amount_rial, product
            order by occurred_at
            range between interval 24 hours preceding
            and interval 24 hours following
        )

),

final as (

    select
        side,
        item_id,
        order_id,
        product,
        record_id,
        reference,
        amount_rial,
        occurred_at,
        cast(
            case
                when amount_rial is null or occurred_at is null then 0
                when side = 'record' then free_orders_near + product_orders_near
                when product is null then records_near
                else product_records_near
            end as bigint
        ) as candidate_count,
    from counted

)

select * from final
