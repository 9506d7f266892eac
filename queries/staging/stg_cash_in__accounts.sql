-- One row an active account, as last seen.

with

versions as (

    select * from raw_accounts_standing

),

latest as (

    select *
    from versions
    qualify row_number() over (
        partition by iban
        order by pull_id desc, page_no desc, position desc
    ) = 1

),

final as (

    select
        iban,
        account_number,
        bank_name,
        pull_id,
        page_no,
        position,
        seen_at,
    from latest

)

select * from final
