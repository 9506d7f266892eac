-- finds: a paid order whose reference no product knows, or knows only as the
--   other number of what another order has. Nothing is said, for two days, of
--   one that is later than what was last read of its product; nor, as long as
--   its product cannot be read whole, of one later than what was.
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

own_links as (

    select order_id from links
    where not is_anothers

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

-- an order without a product may be of any; what nobody asks for any more is
-- not read later either
read_of_all as (

    select
        min(read_until.known_at) as known_at,
        min(read_until.whole_until) filter (where unasked.product is null)
            as whole_until,
    from read_until
    left join unasked
        on read_until.product = unasked.product

),

dated as (

    select
        orders.*,
        unasked.product as unasked_product,
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
        end as at_latest,
        case
            when orders.product is null then read_of_all.known_at
            else read_until.known_at
        end as known_at,
        case
            when orders.product is null then read_of_all.whole_until
            when unasked.product is null then read_until.whole_until
        end as whole_until,
    from orders
    left join unasked
        on orders.product = unasked.product
    left join read_until
        on orders.product = read_until.product
    cross join read_of_all
    cross join settings

),

missing as (

    select
        dated.*,
        hints.hint,
    from dated
    left join hints
        on 'order:' || dated.order_id = hints.item_id
    cross join settings
    anti join own_links
        on dated.order_id = own_links.order_id
    where
        dated.status = 'paid'
        and not dated.is_repeated
        and coalesce(
            dated.at_latest <= dated.known_at
            or dated.occurred_at <= settings.as_of - interval 48 hours
            or dated.occurred_at > settings.as_of + interval 1 day,
            true
        )
        -- in the books by then, it was there by then, whenever it says it was
        and (
            dated.whole_until is null
            or least(dated.at_latest, dated.seen_at) <= dated.whole_until
        )

),

claimed as (

    select
        order_id,
        product,
        record_id,
        row_number() over (
            partition by order_id
            order by product, record_id
        ) as choice,
    from links
    where is_anothers

),

described as (

    select
        missing.*,
        claimed.record_id as claimed_id,
        claimed.product || ' ' || claimed.record_id as claimed_record,
    from missing
    left join claimed
        on
            missing.order_id = claimed.order_id
            and claimed.choice = 1

),

-- one reference of two products is two orders, and two breaks
final as (

    select
        case
            when count(*) over (partition by reference) > 1 then named_reference
            else reference
        end as record_id,
        claimed_id as related_id,
        occurred_at,
        amount_rial as expected,
        cast(null as bigint) as actual,
        'The books have {'
        || coalesce(cast(amount_rial as varchar), 'an unknown amount')
        || '} as paid, and '
        || coalesce(
            'what has the reference, '
            || claimed_record
            || ', is another order''s.',
            coalesce('neither ' || product || ' nor another', 'no')
            || ' product knows the reference.'
        )
        || coalesce(
            ' The settings have no ['
            || unasked_product
            || '], so nothing of it is pulled.',
            ''
        )
        || coalesce(' ' || hint, '') as detail,
    from described

)

select * from final
