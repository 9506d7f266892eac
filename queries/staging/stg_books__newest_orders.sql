-- One row an order line of a key that may stand in several files: those of the
-- newest, with the columns of the lake. A row without any but its key says that the
-- newest file passes the order over (stg_books__orders leaves it out).

with

versions as (

    select * from raw_books_standing

),

repeated as (

    select * from stg_books__repeated_orders

),

several as (

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
    semi join repeated
        on
            versions.product is not distinct from repeated.product
            and versions.reference is not distinct from repeated.reference

),

final as (

    select *
    from several
    qualify dense_rank() over (
        partition by product, reference
        order by pull_id desc, page_no desc
    ) = 1

)

select * from final
