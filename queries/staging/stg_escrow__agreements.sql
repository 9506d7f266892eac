-- One row an agreement, as last seen. Amounts in rials.

with

versions as (

    select * from raw_agreements_standing

),

latest as (

    select *
    from versions
    qualify row_number() over (
        partition by tracking_code
        order by pull_id desc, page_no desc, position desc
    ) = 1

),

final as (

    select
        tracking_code,
        trace_id,
        description,
        amount as amount_rial,
        state,
        creator,
        created_at,
        buyer_state,
        buyer_national_code,
        buyer_mobile,
        seller_state,
        seller_national_code,
        seller_mobile,
        pull_id,
        page_no,
        position,
        seen_at,
    from latest

)

select * from final
