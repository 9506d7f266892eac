-- One row a checkout that some rule has to see whole, as last seen: it may not
-- agree with its payments, nothing of one of them tells whether it was done, a later
-- complete list lacks it, its request_id repeats, or it has no id. Amounts in rials.
-- kept: all are read at once, since to read a few costs as much as to read all.

with

checkouts as (

    select
        checkout_id,
        hash(checkout_id) as checkout_hash,
        request_id,
        hash(request_id) as request_hash,
        amount_rial,
        status,
        created_at,
        updated_at,
        payment_ids,
    from stg_unified__checkouts

),

sought as (

    select checkout_hash from stg_unified__doubtful_checkouts
    union distinct
    select hash(checkout_id) as checkout_hash from int_unshown_payments
    union distinct
    select hash(record_id) as checkout_hash from int_missing_records
    where source = 'checkouts'

),

repeated as (

    select * from int_repeated_requests

),

final as (

    select
        checkouts.checkout_id,
        checkouts.request_id,
        checkouts.amount_rial,
        checkouts.status,
        checkouts.created_at,
        checkouts.updated_at,
        checkouts.payment_ids,
    from checkouts
    left join sought
        on checkouts.checkout_hash = sought.checkout_hash
    left join repeated
        on checkouts.request_hash = repeated.request_hash
    where
        sought.checkout_hash is not null
        or repeated.request_hash is not null
        or checkouts.checkout_id is null

)

select * from final
