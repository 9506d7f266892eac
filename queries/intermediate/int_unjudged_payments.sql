-- One row a payment of which nothing tells whether it was done, nor does the status of
-- the checkout that lists it: the contract shows neither. Amounts in rials.

with

payments as (

    select * from int_unshown_payments

),

checkouts as (

    select
        checkout_id,
        payment_ids,
    from int_sought_checkouts
    where status not in ('paid', 'not_paid')

),

final as (

    select payments.*
    from payments
    semi join checkouts
        on
            payments.checkout_id = checkouts.checkout_id
            and list_contains(checkouts.payment_ids, payments.payment_id)

)

select * from final
