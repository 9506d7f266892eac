-- One row a hosted checkout: what was sent and what the inquiry says. In rials.

with

requests as (

    select * from stg_hosted__requests

),

checkouts as (

    select * from stg_hosted__checkouts

),

final as (

    select
        coalesce(requests.checkout_id, checkouts.checkout_id) as checkout_id,
        coalesce(
            nullif(trim(checkouts.checkout_number), ''),
            nullif(trim(requests.checkout_number), '')
        ) as checkout_number,
        requests.sent_amount_rial,
        checkouts.amount_rial,
        checkouts.wage_rial,
        checkouts.status,
        checkouts.checkout_id is not null as is_inquired,
        coalesce(checkouts.created_at, requests.sent_at) as occurred_at,
        coalesce(
            checkouts.created_at, requests.sent_at, checkouts.seen_at
        ) as waiting_since,
    from requests
    full join checkouts
        on requests.checkout_id = checkouts.checkout_id

)

select * from final
