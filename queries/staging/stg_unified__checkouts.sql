-- One row a checkout, as last seen. Amounts in rials.
-- streamed: most have one version, and are read as they lie in the lake.

with

versions as (

    select * from raw_checkouts_standing

),

repeated as (

    select * from stg_unified__repeated_checkouts

),

newest as (

    select * from stg_unified__newest_checkouts

),

single as (

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
    anti join repeated
        on versions.id is not distinct from repeated.id

),

latest as (

    select * from single
    union all
    select * from newest

),

final as (

    select
        id as checkout_id,
        request_id,
        checkout_number,
        amount as amount_rial,
        status,
        description,
        created_at,
        updated_at,
        customer_id,
        customer_mobile,
        customer_national_code,
        payment_ids,
        pull_id,
        page_no,
        position,
        seen_at,
    from latest

)

select * from final
