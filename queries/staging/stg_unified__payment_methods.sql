-- One row a payment method, as last seen.

with

versions as (

    select * from raw_payment_methods_standing

),

latest as (

    select *
    from versions
    qualify row_number() over (
        partition by slug
        order by pull_id desc, page_no desc, position desc
    ) = 1

),

final as (

    select
        slug as payment_method,
        type,
        name,
        is_healthy,
        "limit" as limit_rial,
        pull_id,
        page_no,
        position,
        seen_at,
    from latest

)

select * from final
