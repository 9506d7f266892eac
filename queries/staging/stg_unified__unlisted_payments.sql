-- One row a payment that its checkout does not list, or whose checkout is
-- unknown.

with

payments as (

    select * from stg_unified__met_payments

),

checkouts as (

    select * from stg_unified__checkouts

),

doubtful as (

    select * from stg_unified__doubtful_checkouts

),

doubtful_payments as (

    select
        payments.payment_id,
        payments.checkout_id,
    from payments
    semi join doubtful
        on payments.checkout_id = doubtful.checkout_id

),

doubtful_checkouts as (

    select
        checkouts.checkout_id,
        checkouts.payment_ids,
    from checkouts
    semi join doubtful
        on checkouts.checkout_id = doubtful.checkout_id

),

final as (

    select doubtful_payments.payment_id
    from doubtful_payments
    left join doubtful_checkouts
        on doubtful_payments.checkout_id = doubtful_checkouts.checkout_id
    where
        not coalesce(
            list_contains(
                doubtful_checkouts.payment_ids, doubtful_payments.payment_id
            ),
            false
        )

)

select * from final
