-- One row an order and a record of the provider that has its reference, where
-- the reference is open; the others have one record each. Amounts in rials. An
-- order looks in the product that it names, or in every product where it names
-- none. Where the named product does not know the reference, records of other
-- products stand for it, unless an order of their own has them: no order takes
-- another's.

with

orders as (

    select * from int_book_open_orders

),

provider_references as (

    select * from int_provider_references

),

named as (

    select
        orders.order_id,
        orders.reference,
        orders.named_reference,
        orders.product as book_product,
        orders.amount_rial as book_amount_rial,
        orders.status as book_status,
        orders.occurred_at as book_occurred_at,
        orders.is_repeated,
        provider_references.product,
        provider_references.record_id,
        provider_references.sent_amount_rial as record_amount_rial,
        provider_references.is_paid,
        provider_references.is_refunded,
        provider_references.occurred_at,
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
    where orders.product is not null

),

elsewhere as (

    select
        orders_left.order_id,
        orders_left.reference,
        orders_left.named_reference,
        orders_left.product as book_product,
        orders_left.amount_rial as book_amount_rial,
        orders_left.status as book_status,
        orders_left.occurred_at as book_occurred_at,
        orders_left.is_repeated,
        provider_references.product,
        provider_references.record_id,
        provider_references.sent_amount_rial as record_amount_rial,
        provider_references.is_paid,
        provider_references.is_refunded,
        provider_references.occurred_at,
    from orders_left
    inner join provider_references
        on orders_left.reference = provider_references.reference

),

unclaimed as (

    select elsewhere.*
    from elsewhere
    anti join named
        on
            elsewhere.product = named.product
            and elsewhere.record_id = named.record_id

),

links as (

    select * from named
    union all
    select * from unclaimed

),

final as (

    select
        *,
        cast(
            sum(case when is_paid then 1 else 0 end)
                over (partition by order_id) as bigint
        ) as paid_count,
    from links

)

select * from final
