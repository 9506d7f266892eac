-- One row a checkout that does not agree with its done payments, or that some
-- payment names without being listed by it; it may be unknown. The done
-- payments that it lists are counted and summed: `known_amount_rial` is of those
-- that have an amount, `done_amount_rial` unknown where one has none. Amounts in
-- rials. One that is paid and has one done payment of its amount agrees; so does
-- one in another status that has none.

with

checkouts as (

    select
        *,
        hash(checkout_id) as checkout_hash,
    from int_sought_checkouts

),

payments as (

    select
        *,
        hash(checkout_id) as checkout_hash,
    from int_sought_payments

),

doubtful as (

    select * from stg_unified__doubtful_checkouts

),

doubtful_checkouts as (

    select
        checkouts.checkout_id,
        checkouts.status,
        checkouts.amount_rial,
        checkouts.payment_ids,
        coalesce(checkouts.created_at, checkouts.updated_at) as occurred_at,
    from checkouts
    semi join doubtful
        on checkouts.checkout_hash = doubtful.checkout_hash

),

doubtful_payments as (

    select
        payments.checkout_id,
        payments.payment_id,
        payments.amount_rial,
        coalesce(payments.status = 'done', false) as is_done,
    from payments
    semi join doubtful
        on payments.checkout_hash = doubtful.checkout_hash
    where payments.payment_id is not null

),

paired as (

    select
        coalesce(
            doubtful_checkouts.checkout_id, doubtful_payments.checkout_id
        ) as checkout_id,
        doubtful_checkouts.checkout_id is not null as is_known,
        doubtful_checkouts.status,
        doubtful_checkouts.amount_rial,
        doubtful_checkouts.occurred_at,
        doubtful_payments.payment_id,
        doubtful_payments.amount_rial as payment_rial,
        coalesce(doubtful_payments.is_done, false) as is_done,
        coalesce(
            list_contains(
                doubtful_checkouts.payment_ids, doubtful_payments.payment_id
            ),
            false
        ) as is_listed,
    from doubtful_checkouts
    full join doubtful_payments
        on doubtful_checkouts.checkout_id = doubtful_payments.checkout_id

),

counted as (

    select
        checkout_id,
        is_known,
        status,
        amount_rial,
        occurred_at,
        count(*) filter (where is_listed and is_done) as done_count,
        count(payment_rial) filter (where is_listed and is_done)
            as amount_count,
        cast(
            sum(payment_rial) filter (where is_listed and is_done) as bigint
        ) as known_amount_rial,
        count(*) filter (where payment_id is not null and not is_listed)
            as unlisted_count,
        list(payment_id) filter (where is_listed and is_done)
            as done_payment_ids,
        list(payment_id) filter (where payment_id is not null and not is_listed)
            as unlisted_payment_ids,
    from paired
    group by checkout_id, is_known, status, amount_rial, occurred_at

),

summed as (

    select
        *,
        case
            when amount_count = done_count then known_amount_rial
        end as done_amount_rial,
    from counted

),

told as (

    select
        *,
        coalesce(
            case
                when status = 'paid'
                    then done_count = 1 and done_amount_rial = amount_rial
                else done_count = 0
            end,
            false
        ) as agrees,
    from summed

),

final as (

    select
        checkout_id,
        is_known,
        status,
        amount_rial,
        occurred_at,
        agrees,
        done_count,
        done_amount_rial,
        known_amount_rial,
        case
            when done_count > 0
                then array_to_string(list_sort(done_payment_ids), ' ')
        end as done_payment_ids,
        unlisted_count,
        list_sort(unlisted_payment_ids) as unlisted_payment_ids,
    from told
    where
        not agrees
        or unlisted_count > 0

)

select * from final
