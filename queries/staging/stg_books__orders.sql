-- One row an order line of the business's books. Amounts in rials.
-- The newest file that has a key holds all rows of that key; one that passes it over
-- leaves none.
-- streamed: most have one version, and are read as they lie in the lake.

with

versions as (

    select * from raw_books_standing

),

repeated as (

    select * from stg_books__repeated_orders

),

newest as (

    select * from stg_books__newest_orders

),

single as (

    select
        versions.reference,
        versions.amount,
        versions.status,
        versions.occurred_at,
        versions.product,
        versions.description,
        versions.pull_id,
        versions.page_no,
        versions.position,
        versions.seen_at,
    from versions
    anti join repeated
        on
            versions.product is not distinct from repeated.product
            and versions.reference is not distinct from repeated.reference

),

lines as (

    select * from single
    union all
    select * from newest

),

final as (

    select
        reference,
        amount as amount_rial,
        status,
        occurred_at,
        product,
        description,
        pull_id,
        page_no,
        position,
        seen_at,
    from lines
    where status is distinct from 'passed over'

)

select * from final
