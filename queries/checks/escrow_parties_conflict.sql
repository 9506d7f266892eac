-- finds: an agreement whose buyer and seller share a mobile or a national code.
-- why: a trade with oneself moves money through escrow without a sale; it is
--   also how a wrong party gets paid.
-- do: ask the parties who they are before the trade is finalized.
-- severity: warning
-- product: escrow
-- record: tracking_code
-- source: document 1, Resources and their fields, Party.

with

agreements as (

    select * from stg_escrow__agreements

),

compared as (

    select
        *,
        coalesce(
            nullif(trim(buyer_mobile), '') = trim(seller_mobile), false
        ) as is_mobile_shared,
        coalesce(
            nullif(trim(buyer_national_code), '') = trim(seller_national_code),
            false
        ) as is_code_shared,
    from agreements

),

final as (

    select
        tracking_code as record_id,
        trace_id as related_id,
        created_at as occurred_at,
        cast(null as bigint) as expected,
        cast(null as bigint) as actual,
        'Buyer and seller share '
        || case
            when is_mobile_shared and is_code_shared
                then 'their mobile and their national code.'
            when is_mobile_shared then 'their mobile.'
            else 'their national code.'
        end as detail,
    from compared
    where is_mobile_shared or is_code_shared

)

select * from final
