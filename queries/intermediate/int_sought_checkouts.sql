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
        case
            when
                request_id < '!'
                or request_id like '% '
                or bit_length(request_id) <> 8 * length(request_id)
                then trim(request_id)
            else request_id
        end as bare_request_id,
        amount_rial,
        status,
        created_at,
        updated_at,
        payment_ids,
    from stg_unified__checkouts

),

hashed as (

    select
        *,
        hash(bare_request_id) as request_hash,
    from checkouts

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
        hashed.checkout_id,
        hashed.request_id,
        hashed.amount_rial,
        hashed.status,
        hashed.created_at,
        hashed.updated_at,
        hashed.payment_ids,
    from hashed
    left join sought
        on hashed.checkout_hash = sought.checkout_hash
    left join repeated
        on hashed.request_hash = repeated.request_hash
    where
        sought.checkout_hash is not null
        or repeated.request_hash is not null
        or hashed.checkout_id is null

)

select * from final
