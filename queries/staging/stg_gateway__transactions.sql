-- One row a gateway transaction, as last looked up. Amounts in rials.
-- A refusal has no figures: one that follows a final answer takes none back.

with

versions as (

    select * from raw_gateway_transactions_standing

),

every_version as (

    select * from raw_gateway_transactions

),

latest as (

    select *
    from versions
    qualify row_number() over (
        partition by token
        order by pull_id desc, page_no desc, position desc
    ) = 1

),

refused as (

    select token
    from latest
    where
        error is not null
        and code is null

),

-- the last answer of each that is refused by now
answered as (

    select every_version.*
    from every_version
    semi join refused
        on every_version.token = refused.token
    where every_version.code is not null
    qualify row_number() over (
        partition by every_version.token
        order by
            every_version.pull_id desc,
            every_version.page_no desc,
            every_version.position desc
    ) = 1

),

settled as (

    select * from answered
    where code in (2, 4)

),

standing as (

    select latest.*
    from latest
    anti join settled
        on latest.token = settled.token
    union all
    select * from settled

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
    from standing

)

select * from final
