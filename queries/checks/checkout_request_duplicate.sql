-- finds: one request_id on two or more checkouts.
-- why: the request_id is what prevents duplicates; where it repeats, one order
--   may be charged twice.
-- do: keep the checkout that the order knows, and see that the other is not
--   paid.
-- severity: error
-- product: unified
-- record: request_id
-- source: document 3, Checkouts and payments, Create checkout.

with

checkouts as (

    select * from stg_unified__checkouts

),

requests as (

    select
        request_id,
        count(*) as checkout_count,
        array_to_string(list_sort(list(checkout_id)), ' ') as checkout_ids,
        max(coalesce(created_at, updated_at)) as occurred_at,
    from checkouts
    where trim(request_id) <> ''
    group by request_id

),

final as (

    select
        request_id as record_id,
        checkout_ids as related_id,
        occurred_at,
        cast(null as bigint) as expected,
        cast(null as bigint) as actual,
        'The request_id stands on '
        || cast(checkout_count as varchar)
        || ' checkouts.' as detail,
    from requests
    where checkout_count > 1

)

select * from final
