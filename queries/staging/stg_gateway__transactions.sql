-- One row a gateway transaction, as last looked up. Amounts in rials.
-- A refusal has no figures and takes none back: the answer before it stands, but
-- for one that was not final where a refusal since says that the transaction failed;
-- that stands then, whatever other refusal follows.

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

-- what was said of each that is refused by now: its answers, and that it failed
told as (

    select every_version.*
    from every_version
    semi join refused
        on every_version.token = refused.token
    where
        every_version.code is not null
        or contains(lower(every_version.error), 'transaction failed')

),

last_told as (

    select *
    from told
    qualify row_number() over (
        partition by token
        order by pull_id desc, page_no desc, position desc
    ) = 1

),

last_answers as (

    select *
    from told
    where code is not null
    qualify row_number() over (
        partition by token
        order by pull_id desc, page_no desc, position desc
    ) = 1

),

upheld as (

    select *
    from last_answers
    where code in (2, 4)

),

standing as (

    select latest.*
    from latest
    anti join last_told
        on latest.token = last_told.token
    union all
    select last_told.*
    from last_told
    anti join upheld
        on last_told.token = upheld.token
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
