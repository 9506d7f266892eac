-- One row a hosted checkout that was sent. Amounts in rials.

with

versions as (

    select * from raw_hosted_requests_standing

),

latest as (

    select *
    from versions
    qualify row_number() over (
        partition by checkout_id
        order by pull_id desc, page_no desc, position desc
    ) = 1

),

final as (

    select
        checkout_id,
        amount as sent_amount_rial,
        checkout_number,
        sent_at,
        pull_id,
        page_no,
        position,
        seen_at,
    from latest

)

select * from final
