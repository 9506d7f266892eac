-- One row an order and a record of the provider that has its reference. In
-- rials. An order looks in the product that it names, or in every product where
-- it names none. Where the named product does not know the reference, records
-- of other products stand for it, unless an order of their own has them: no
-- order takes another's.

with

orders as (

    select * from int_book_orders

),

provider_references as (

    select * from int_provider_references

),

named as (

    select
        orders.order_id,
        provider_references.product,
        provider_references.record_id,
    from orders
    inner join provider_references
        on
            orders.reference = provider_references.reference
            and coalesce(orders.product, provider_references.product)
            = provider_references.product

),

orders_left as (

    select orders.*
    from orders
    anti join named
        on orders.order_id = named.order_id

),

references_left as (

    select provider_references.*
    from provider_references
    anti join named
        on
            provider_references.product = named.product
            and provider_references.record_id = named.record_id

),

elsewhere as (

    select
        orders_left.order_id,
        references_left.product,
        references_left.record_id,
    from orders_left
    inner join references_left
        on orders_left.reference = references_left.reference

),

links as (

    select * from named
    union all
    select * from elsewhere

),

final as (

    select
        orders.order_id,
        orders.reference,
        orders.named_reference,
        orders.product as book_product,
        orders.amount_rial as book_amount_rial,
        orders.status as book_status,
        orders.occurred_at as book_occurred_at,
        orders.is_repeated,
        links.product,
        links.record_id,
        provider_references.sent_amount_rial as record_amount_rial,
        provider_references.is_paid,
        provider_references.is_refunded,
        provider_references.occurred_at,
        cast(
            sum(case when provider_references.is_paid then 1 else 0 end)
                over (partition by links.order_id) as bigint
        ) as paid_count,
    from links
    inner join orders
        on links.order_id = orders.order_id
    inner join provider_references
        on
            links.product = provider_references.product
            and links.record_id = provider_references.record_id
            and orders.reference = provider_references.reference

)

select * from final
