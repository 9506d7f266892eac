-- One row a key of the books whose reference is open: its record is not plain.
-- Amounts in rials. A key that stands twice in one file is repeated; it has the
-- amount, status and time of its first line. So is one without a product whose
-- reference has a key with one, in whatever file: it may be the same order, and then
-- would be counted twice (`is_named_too`). `seen_at` is when it was imported.

with

orders as (

    select * from stg_books__orders

),

open_references as (

    select * from int_book_open_references

),

settings as (

    select * from stg_settings

),

open_lines as (

    select
        trim(orders.reference) as reference,
        nullif(trim(orders.product), '') as product,
        orders.amount_rial,
        orders.status,
        orders.occurred_at,
        orders.seen_at,
        orders.position,
    from orders
    semi join open_references
        on orders.reference is not distinct from open_references.reference

),

numbered as (

    select
        reference,
        product,
        amount_rial,
        status,
        occurred_at,
        seen_at,
        count(*) over (partition by reference, product) as key_count,
        count(*) over (partition by reference) as reference_count,
        product is null
        and count(product) over (partition by reference) > 0 as is_named_too,
        row_number() over (
            partition by reference, product
            order by position, amount_rial, status, occurred_at
        ) as line,
    from open_lines

),

final as (

    select
        coalesce(numbered.product, '')
        || ':'
        || coalesce(numbered.reference, '') as order_id,
        coalesce(numbered.product || ':', '') || numbered.reference
            as named_reference,
        numbered.reference,
        numbered.product,
        numbered.amount_rial,
        numbered.status,
        numbered.occurred_at,
        cast(
            numbered.occurred_at at time zone settings.timezone as date
        ) as business_date,
        case
            when numbered.is_named_too then numbered.reference_count
            else numbered.key_count
        end as line_count,
        numbered.key_count > 1 or numbered.is_named_too as is_repeated,
        numbered.is_named_too,
        numbered.seen_at,
    from numbered
    cross join settings
    where numbered.line = 1

)

select * from final
