-- One row a gateway transaction, as last looked up. Amounts in rials.

with

versions as (

    select * from raw_gateway_transactions_standing

),

latest as (

    select *
    from versions
    qualify row_number() over (
        partition by token
        order by pull_id desc, page_no desc, position desc
    ) = 1

),

final as (

    select
        token,
        amount as amount_rial,
        trans_id,
        refnumber,
        tracking_code,
        factor_number,
        mobile,
        card_number,
        created_at,
        payment_date,
        code,
        message,
        error,
        pull_id,
        page_no,
        position,
        seen_at,
    from latest

)

select * from final
