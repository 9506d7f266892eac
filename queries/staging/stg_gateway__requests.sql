-- One row a token that was sent, with the verify result the business kept. Rials.
-- Of a file's rows of a token, that of the result goes before those of what was sent.

with

versions as (

    select * from raw_gateway_tokens_standing

),

latest as (

    select *
    from versions
    qualify row_number() over (
        partition by token
        order by
            pull_id desc,
            page_no desc,
            case when real_amount is null then 1 else 0 end,
            position desc
    ) = 1

),

final as (

    select
        token,
        amount as sent_amount_rial,
        factor_number,
        sent_at,
        real_amount as real_amount_rial,
        wage as wage_rial,
        verified_at,
        pull_id,
        page_no,
        position,
        seen_at,
    from latest

)

select * from final
