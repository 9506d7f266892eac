-- One row a mandate, as last seen. The limit is rials a withdrawal.

with

versions as (

    select * from raw_mandates_standing

),

latest as (

    select *
    from versions
    qualify row_number() over (
        partition by id
        order by pull_id desc, page_no desc, position desc
    ) = 1

),

final as (

    select
        id as mandate_id,
        payment_method,
        "count" as monthly_count,
        "limit" as limit_rial,
        expires_at,
        customer_id,
        status,
        created_at,
        updated_at,
        revoked_at,
        pull_id,
        page_no,
        position,
        seen_at,
    from latest

)

select * from final
