-- One row a checkout whose payments need a closer look: all but those that list
-- one payment, which is the only one that names them, and agree with it.

with

payments as (

    select
        checkout_id,
        payment_id,
        amount_rial,
        coalesce(status = 'done', false) as is_done,
    from stg_unified__met_payments

),

checkouts as (

    select
        checkout_id,
        amount_rial,
        status = 'paid' as is_paid,
        array_to_string(payment_ids, ' ') as listed_ids,
    from stg_unified__checkouts

),

compared as (

    select
        coalesce(checkouts.checkout_id, payments.checkout_id) as checkout_id,
        coalesce(
            payments.payment_id = checkouts.listed_ids
            and not contains(payments.payment_id, ' ')
            and case
                when payments.is_done
                    then
                        checkouts.is_paid
                        and payments.amount_rial = checkouts.amount_rial
                else not checkouts.is_paid
            end,
            false
        ) as is_plain,
    from payments
    full join checkouts
        on payments.checkout_id = checkouts.checkout_id

),

final as (

    select distinct checkout_id
    from compared
    where not is_plain

)

select * from final
