-- finds: a paid order whose reference no product knows.
-- why: the books count money that the provider never took, or took under
--   another number.
-- do: look for the amount at that time among records without a number; else the
--   order was not paid through this provider, or its product is not pulled.
-- severity: error
-- product: books
-- record: reference
-- source: document 3, Checkouts and payments, Create checkout (checkout_number,
--   request_id); document 2, B, step 1 (factorNumber) and C, Get token;
--   document 1, Create agreement (trace_id).

with

orders as (

    select * from int_book_open_orders

),

links as (

    select * from int_book_links

),

hints as (

    select * from int_book_hints

),

unasked as (

    select * from stg_unasked_products

),

missing as (

    select
        orders.*,
        hints.hint,
        unasked.product as unasked_product,
    from orders
    left join hints
        on 'order:' || orders.order_id = hints.item_id
    left join unasked
        on orders.product = unasked.product
    anti join links
        on orders.order_id = links.order_id
    where
        orders.status = 'paid'
        and not orders.is_repeated

),

-- one reference of two products is two orders, and two breaks
final as (

    select
        case
            when count(*) over (partition by reference) > 1 then named_reference
            else reference
        end as record_id,
        cast(null as varchar) as related_id,
        occurred_at,
        amount_rial as expected,
        cast(null as bigint) as actual,
        'The books have '
        || coalesce(cast(amount_rial as varchar), 'an unknown amount')
        || ' as paid, and '
        || coalesce('neither ' || product || ' nor another', 'no')
        || ' product knows the reference.'
        || coalesce(
            ' The settings have no ['
            || unasked_product
            || '], so nothing of it is pulled.',
            ''
        )
        || coalesce(' ' || hint, '') as detail,
    from missing

)

select * from final
