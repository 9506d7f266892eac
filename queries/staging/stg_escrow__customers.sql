-- One row an escrow customer, as last seen.

with

versions as (

    select * from raw_customers_standing

),

latest as (

    select *
    from versions
    qualify row_number() over (
        partition by uid
        order by pull_id desc, page_no desc, position desc
    ) = 1

),

final as (

    select
        uid as customer_uid,
        first_name,
        last_name,
        national_code,
        mobile,
        pull_id,
        page_no,
        position,
        seen_at,
    from latest

)

select * from final
