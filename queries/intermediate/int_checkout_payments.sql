-- One row a checkout that does not agree with its done payments, which are
-- counted and summed. Amounts in rials. One that is paid and has one done
-- payment of its amount agrees; so does one in another status that has none.

with

checkouts as (

    select * from stg_unified__checkouts

),

payments as (

    select * from stg_unified__payments

),

doubtful as (

    select * from stg_unified__doubtful_checkouts

),

done_payments as (

    select
        payments.checkout_id,
        count(*) as done_count,
        cast(sum(payments.amount_rial) as bigint) as done_amount_rial,
        array_to_string(list_sort(list(payments.payment_id)), ' ')
            as done_payment_ids,
    from payments
    semi join doubtful
        on payments.checkout_id = doubtful.checkout_id
    where payments.status = 'done'
    group by payments.checkout_id

),

doubtful_checkouts as (

    select
        checkouts.checkout_id,
        checkouts.status,
        checkouts.amount_rial,
        coalesce(checkouts.created_at, checkouts.updated_at) as occurred_at,
    from checkouts
    semi join doubtful
        on checkouts.checkout_id = doubtful.checkout_id

),

counted as (

    select
        doubtful_checkouts.checkout_id,
        doubtful_checkouts.status,
        doubtful_checkouts.amount_rial,
        doubtful_checkouts.occurred_at,
        coalesce(done_payments.done_count, 0) as done_count,
        done_payments.done_amount_rial,
        done_payments.done_payment_ids,
    from doubtful_checkouts
    left join done_payments
        on doubtful_checkouts.checkout_id = done_payments.checkout_id

),

final as (

    select *
    from counted
    where
        not coalesce(
            case
                when status = 'paid'
                    then done_count = 1 and done_amount_rial = amount_rial
                else done_count = 0
            end,
            false
        )

)

select * from final
