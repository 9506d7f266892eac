-- One row a hosted checkout, as last inquired. Amounts in rials.
-- A refusal has no figures and takes none back: the answer before it stands.

with

versions as (

    select * from raw_hosted_checkouts_standing

),

every_version as (

    select * from raw_hosted_checkouts

),

latest as (

    select *
    from versions
    qualify row_number() over (
        partition by id
        order by pull_id desc, page_no desc, position desc
    ) = 1

),

refused as (

    select id
    from latest
    where
        error is not null
        and status is null

),

-- the last answer of each that is refused by now
answered as (

    select every_version.*
    from every_version
    semi join refused
        on every_version.id = refused.id
    where every_version.status is not null
    qualify row_number() over (
        partition by every_version.id
        order by
            every_version.pull_id desc,
            every_version.page_no desc,
            every_version.position desc
    ) = 1

),

standing as (

    select latest.*
    from latest
    anti join answered
        on latest.id = answered.id
    union all
    select * from answered

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
    from standing

)

select * from final
