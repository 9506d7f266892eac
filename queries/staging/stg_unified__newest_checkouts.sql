-- One row a checkout that may have several versions: the newest of them, with the
-- columns of the lake.

with

versions as (

    select * from raw_checkouts

),

repeated as (

    select * from stg_unified__repeated_checkouts

),

several as (

    select
        versions.id,
        versions.request_id,
        versions.checkout_number,
        versions.amount,
        versions.status,
        versions.description,
        versions.created_at,
        versions.updated_at,
        versions.customer_id,
        versions.customer_mobile,
        versions.customer_national_code,
        versions.payment_ids,
        versions.pull_id,
        versions.page_no,
        versions.position,
        versions.seen_at,
    from versions
    semi join repeated
        on versions.id is not distinct from repeated.id

),

final as (

    select *
    from several
    qualify row_number() over (
        partition by id
        order by pull_id desc, page_no desc, position desc
    ) = 1

)

select * from final
