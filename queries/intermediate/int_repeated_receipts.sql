-- One row a receipt that two or more done payments have.
-- kept: few are sought among all payments.

with

payments as (

    select * from stg_unified__payments

),

final as (

    select trim(ref_id) as receipt
    from payments
    where
        status = 'done'
        and trim(ref_id) <> ''
    group by trim(ref_id)
    having count(*) > 1

)

select * from final
