-- One row an order and a record of the provider that has its reference, where
-- the reference is open; the others have one record each. Amounts in rials. An
-- order looks in the product that it names, or in every product where it names
-- none. Where the named product does not know the reference, records of other
-- products stand for it, unless an order of their own has them: no order takes
-- another's. Where numbers of orders and of requests overlap, 17 is the order of
-- one checkout and the request of another. Of the two that leads which agrees with
-- more of such orders, in amount and status (the number, where both do alike): where
-- an order and a record both have a link by it, what links them otherwise is none,
-- and where the record alone has one, it is another order's (`is_anothers`). So is
-- one that stands for the orders of two products, but for one of these.

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
        provider_references.is_request,
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
        provider_references.is_request,
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

    select
        *,
        cast(1 as bigint) as turn,
    from named
    union all
    select
        *,
        row_number() over (
            partition by product, record_id
            order by
                case
                    when book_amount_rial = record_amount_rial then 0 else 1
                end,
                order_id
        ) as turn,
    from unclaimed

),

kinds as (

    select
        *,
        case when is_request then 1 else 0 end as kind,
    from links

),

-- an order, or a record, that has links by both kinds of number
contested as (

    select
        *,
        min(kind) over (partition by order_id)
        < max(kind) over (partition by order_id)
        or min(kind) over (partition by product, record_id)
        < max(kind) over (partition by product, record_id) as is_contested,
    from kinds

),

leading_number as (

    select
        coalesce(
            sum(
                case
                    when book_amount_rial is distinct from record_amount_rial
                        then 0
                    when
                        coalesce(book_status in ('paid', 'refunded'), false)
                        <> is_paid
                        then 0
                    when is_request then 1
                    else -1
                end
            ) > 0,
            false
        ) as is_request,
    from contested
    where is_contested

),

compared as (

    select
        contested.*,
        case
            when contested.is_request = leading_number.is_request then 1
            else 0
        end as is_leading,
    from contested
    cross join leading_number

),

judged as (

    select
        *,
        max(is_leading) over (partition by order_id) as is_order_led,
        max(is_leading) over (partition by product, record_id) as is_record_led,
    from compared

),

final as (

    select
        order_id,
        reference,
        named_reference,
        book_product,
        book_amount_rial,
        book_status,
        book_occurred_at,
        is_repeated,
        product,
        record_id,
        is_request,
        record_amount_rial,
        is_paid,
        is_refunded,
        occurred_at,
        turn > 1 or is_leading < is_record_led as is_anothers,
    from judged
    where is_leading = 1 or is_order_led = 0 or is_record_led = 0

)

select * from final
