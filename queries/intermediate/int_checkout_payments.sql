-- One row a checkout, with its done payments counted and summed. Amounts in
-- rials.

with

checkouts as (

    select * from stg_unified__checkouts

),

payments as (

    select * from stg_unified__payments

),

done_payments as (

    select
        checkout_id,
        count(*) as done_count,
        cast(sum(amount_rial) as bigint) as done_amount_rial,
        array_to_string(list_sort(list(payment_id)), ' ') as done_payment_ids,
    from payments
    where status = 'done'
    group by checkout_id

),

final as (

    select
        checkouts.checkout_id,
        checkouts.status,
        checkouts.amount_rial,
        coalesce(checkouts.created_at, checkouts.updated_at) as occurred_at,
        coalesce(done_payments.done_count, 0) as done_count,
        done_payments.done_amount_rial,
        done_payments.done_payment_ids,
    from checkouts
    left join done_payments
        on checkouts.checkout_id = done_payments.checkout_id

)

select * from final
