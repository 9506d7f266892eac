-- One row a hosted checkout, as last inquired. Amounts in rials.

with

versions as (

    select * from raw_hosted_checkouts_standing

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
        id as checkout_id,
        amount as amount_rial,
        wage as wage_rial,
        status,
        checkout_number,
        description,
        created_at,
        error,
        pull_id,
        page_no,
        position,
        seen_at,
    from latest

)

select * from final
