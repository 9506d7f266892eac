-- One row a checkout whose payments need a closer look, by the hash of its id: all
-- but those that list every payment that names them, and whose status and amount
-- agree with the done ones of these. One that shares its hash is looked at needlessly.
-- kept: few are sought among all checkouts and payments.

with

-- hashes are compared in place of ids: of very many the texts would be spilled
payments as (

    select
        case when checkout_id is not null then hash(checkout_id) end as checkout_hash,
        hash(payment_id) as payment_hash,
        amount_rial,
        coalesce(status = 'done', false) as is_done,
    from stg_unified__met_payments

),

listing as (

    select
        checkout_id,
        amount_rial,
        coalesce(status = 'paid', false) as is_paid,
        payment_ids,
        coalesce(array_to_string(payment_ids, ' '), '') as listed,
    from stg_unified__checkouts

),

-- one row each that is listed, and one for a checkout that lists none
places as (

    select
        checkout_id,
        amount_rial,
        is_paid,
        listed not like '% %' as lists_one,
        unnest(
            case when listed = '' then [cast(null as varchar)] else payment_ids end
        ) as payment_id,
    from listing

),

checkouts as (

    select
        case when checkout_id is not null then hash(checkout_id) end as checkout_hash,
        amount_rial,
        is_paid,
        lists_one,
        case when payment_id is not null then hash(payment_id) end as payment_hash,
    from places

),

compared as (

    select
        coalesce(checkouts.checkout_hash, payments.checkout_hash) as checkout_hash,
        checkouts.is_paid,
        checkouts.lists_one,
        payments.is_done,
        payments.amount_rial = checkouts.amount_rial as is_of_amount,
        checkouts.lists_one is null as is_unlisted,
        payments.payment_hash is null as is_unknown,
    from payments
    full join checkouts
        on
            payments.checkout_hash = checkouts.checkout_hash
            and payments.payment_hash = checkouts.payment_hash

),

-- nearly all list one payment and agree with it: only the others are counted
others as (

    select *
    from compared
    where
        is_unlisted
        or not lists_one
        or not coalesce(
            case
                when is_unknown then not is_paid
                when is_done then is_paid and is_of_amount
                else not is_paid
            end,
            false
        )

),

final as (

    select checkout_hash
    from others
    group by checkout_hash, is_paid
    having
        count(*) filter (where is_unlisted) > 0
        or case
            when is_paid
                then
                    count(*) filter (where is_done) <> 1
                    or count(*) filter (where is_done and is_of_amount) <> 1
            else count(*) filter (where is_done) > 0
        end

)

select * from final
