-- One row a payment of a status that the contract does not show, and of which nothing
-- else of it tells whether it was done: no affected amount, and no error. It may be
-- listed by its checkout or not. In rials. Unknown: payment statuses other than done
-- and pending_redirect; `failed` is taken to say what it says.

with

payments as (

    select * from int_sought_payments

),

final as (

    select
        payment_id,
        checkout_id,
        status,
        amount_rial,
        coalesce(paid_at, created_at, updated_at) as occurred_at,
    from payments
    where
        status not in ('done', 'pending_redirect')
        and lower(status) <> 'failed'
        and affected_rial is null
        and error_code is null
        and coalesce(error_message, '') = ''

)

select * from final
