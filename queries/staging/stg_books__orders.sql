-- One row an order line of the business's books. Amounts in rials.
-- The newest file that has a key holds all rows of that key.
-- streamed: most have one version, and are read as they lie in the lake.

with

versions as (

    select * from raw_books

),

newest as (

    select *
    from versions
    qualify dense_rank() over (
        partition by product, reference
        order by pull_id desc, page_no desc
    ) = 1

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
    from newest

)

select * from final
