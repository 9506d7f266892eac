-- finds: a paid order whose reference no product knows. Nothing is said, for
--   two days, of one that is later than what was last read of its product.
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

settings as (

    select * from stg_settings

),

read_until as (

    select * from int_read_until

),

-- an order without a product may be of any
read_of_all as (

    select min(known_at) as known_at
    from read_until

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
    left join read_until
        on orders.product = read_until.product
    cross join read_of_all
    cross join settings
    anti join links
        on orders.order_id = links.order_id
    where
        orders.status = 'paid'
        and not orders.is_repeated
        and coalesce(
            -- one of a day may be of the day's end
            orders.occurred_at
            + case
                when
                    cast(
                        (orders.occurred_at - interval 1 second)
                        at time zone settings.timezone as date
                    ) < orders.business_date
                    then interval 86399 second
                else interval 0 second
            end
            <= case
                when orders.product is null then read_of_all.known_at
                else read_until.known_at
            end
            or orders.occurred_at <= settings.as_of - interval 48 hours
            or orders.occurred_at > settings.as_of + interval 1 day,
            true
        )

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
        'The books have {'
        || coalesce(cast(amount_rial as varchar), 'an unknown amount')
        || '} as paid, and '
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
