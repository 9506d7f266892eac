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

    select
        checkout_id,
        trim(request_id) as request_id,
        created_at,
        updated_at,
    from int_sought_checkouts

),

repeated as (

    select * from int_repeated_requests

),

hashed as (

    select
        *,
        hash(request_id) as request_hash,
    from checkouts

),

requests as (

    select
        hashed.request_id,
        count(*) as checkout_count,
        array_to_string(list_sort(list(hashed.checkout_id)), ' ')
            as checkout_ids,
        max(coalesce(hashed.created_at, hashed.updated_at))
            as occurred_at,
    from hashed
    semi join repeated
        on hashed.request_hash = repeated.request_hash
    group by hashed.request_id
    having count(*) > 1

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

)

select * from final
