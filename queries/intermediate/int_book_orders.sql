-- One row a key of the books: a reference, within a product where one is given.
-- Amounts in rials. A key that stands twice in one file is repeated; it has the
-- amount, status and time of its first line.
-- streamed: each reader takes a few columns of very many rows.

with

single_orders as (

    select * from stg_books__orders

),

several_orders as (

    select * from stg_books__orders

),

settings as (

    select * from stg_settings

),

-- a reference that stands twice is odd
odd as (

    select * from int_book_odd_references

),

single as (

    select
        trim(single_orders.reference) as reference,
        nullif(trim(single_orders.product), '') as product,
        single_orders.amount_rial,
        single_orders.status,
        single_orders.occurred_at,
        cast(1 as bigint) as line_count,
        cast(1 as bigint) as line,
    from single_orders
    anti join odd
        on trim(single_orders.reference) is not distinct from odd.reference

),

several as (

    select
        trim(several_orders.reference) as reference,
        nullif(trim(several_orders.product), '') as product,
        several_orders.amount_rial,
        several_orders.status,
        several_orders.occurred_at,
        several_orders.position,
    from several_orders
    semi join odd
        on trim(several_orders.reference) is not distinct from odd.reference

),

numbered as (

    select
        reference,
        product,
        amount_rial,
        status,
        occurred_at,
        count(*) over (partition by reference, product) as line_count,
        row_number() over (
            partition by reference, product
            order by position, amount_rial, status, occurred_at
        ) as line,
    from several

),

lines as (

    select * from single
    union all
    select * from numbered

),

final as (

    select
        coalesce(lines.product, '') || ':' || coalesce(lines.reference, '')
            as order_id,
        coalesce(lines.product || ':', '') || lines.reference
            as named_reference,
        lines.reference,
        lines.product,
        lines.amount_rial,
        lines.status,
        lines.occurred_at,
        cast(
            lines.occurred_at at time zone settings.timezone as date
        ) as business_date,
        lines.line_count,
        lines.line_count > 1 as is_repeated,
    from lines
    cross join settings
    where lines.line = 1

)

select * from final
