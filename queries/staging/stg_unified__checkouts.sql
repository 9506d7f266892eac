-- One row a checkout, as last seen. Amounts in rials.

with

versions as (

    select * from raw_checkouts

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
