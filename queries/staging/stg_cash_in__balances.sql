-- One row a balance snapshot of an IBAN. Amounts in rials.

with

versions as (

    select * from raw_balances_standing

),

latest as (

    select *
    from versions
    qualify row_number() over (
        partition by "at", iban
        order by pull_id desc, page_no desc, position desc
    ) = 1

),

final as (

    select
        "at" as snapshot_at,
        iban,
        balance as balance_rial,
        available_balance as available_rial,
        origin,
        pull_id,
        page_no,
        position,
        seen_at,
    from latest

)

select * from final
