-- One row a gateway transaction, as last looked up. Amounts in rials.
-- A refusal has no figures and takes none back: the answer before it stands, but
-- for one that was not final where the refusal says that the transaction failed.

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

    select
        token,
        contains(lower(error), 'transaction failed') as is_failed,
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

upheld as (

    select answered.*
    from answered
    inner join refused
        on answered.token = refused.token
    where
        answered.code in (2, 4)
        or not refused.is_failed

),

standing as (

    select latest.*
    from latest
    anti join upheld
        on latest.token = upheld.token
    union all
    select * from upheld

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
