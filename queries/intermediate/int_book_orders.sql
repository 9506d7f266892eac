-- One row a key of the books: a reference, within a product where one is given.
-- Amounts in rials. A reference that is not open stands once; int_book_open_orders
-- says what the others have.
-- streamed: each reader takes a few columns of very many rows.

with

plain_orders as (

    select * from int_book_plain_orders

),

open_orders as (

    select * from int_book_open_orders

),

settings as (

    select * from stg_settings

),

final as (

    select
        coalesce(plain_orders.product, '')
        || ':'
        || coalesce(plain_orders.reference, '') as order_id,
        coalesce(plain_orders.product || ':', '') || plain_orders.reference
            as named_reference,
        plain_orders.reference,
        plain_orders.product,
        plain_orders.amount_rial,
        plain_orders.status,
        plain_orders.occurred_at,
        cast(
            plain_orders.occurred_at at time zone settings.timezone as date
        ) as business_date,
        cast(1 as bigint) as line_count,
        false as is_repeated,
    from plain_orders
    cross join settings
    union all
    select
        order_id,
        named_reference,
        reference,
        product,
        amount_rial,
        status,
        occurred_at,
        business_date,
        line_count,
        is_repeated,
    from open_orders

)

select * from final
