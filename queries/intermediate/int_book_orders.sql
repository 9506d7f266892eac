-- One row a key of the books: a reference, within a product where one is given.
-- Amounts in rials. A key that stands twice in one file is repeated; it has the
-- amount, status and time of its first line.

with

orders as (

    select * from stg_books__orders

),

settings as (

    select * from stg_settings

),

numbered as (

    select
        trim(orders.reference) as reference,
        nullif(trim(orders.product), '') as product,
        orders.amount_rial,
        orders.status,
        orders.occurred_at,
        cast(
            orders.occurred_at at time zone settings.timezone as date
        ) as business_date,
        count(*) over (
            partition by
                trim(orders.reference), nullif(trim(orders.product), '')
        ) as line_count,
        row_number() over (
            partition by
                trim(orders.reference), nullif(trim(orders.product), '')
            order by orders.position, orders.amount_rial
        ) as line,
    from orders
    cross join settings

),

final as (

    select
        coalesce(product, '') || ':' || coalesce(reference, '') as order_id,
        coalesce(product || ':', '') || reference as named_reference,
        reference,
        product,
        amount_rial,
        status,
        occurred_at,
        business_date,
        line_count,
        line_count > 1 as is_repeated,
    from numbered
    where line = 1

)

select * from final
