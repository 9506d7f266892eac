-- One row a payment that timed out and whose checkout has no done payment.

with

attempts as (

    select * from int_unsound_payments

),

every_payment as (

    select * from stg_unified__payments

),

not_done as (

    select *
    from attempts
    where
        error_code = 'WITHDRAWAL_TIMEOUT'
        and status is distinct from 'done'

),

paid_checkouts as (

    select distinct every_payment.checkout_id
    from every_payment
    semi join not_done
        on every_payment.checkout_id = not_done.checkout_id
    where every_payment.status = 'done'

),

final as (

    select not_done.*
    from not_done
    left join paid_checkouts
        on not_done.checkout_id = paid_checkouts.checkout_id
    where paid_checkouts.checkout_id is null

)

select * from final
