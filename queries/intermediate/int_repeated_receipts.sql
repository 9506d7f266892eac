-- One row a receipt that two or more done payments have.
-- kept: few are sought among all payments.

with

payments as (

    select * from stg_unified__payments

),

-- only of the few that repeat it is asked whether they are blank
final as (

    select trim(ref_id) as receipt
    from payments
    where
        status = 'done'
        and ref_id is not null
    group by trim(ref_id)
    having case when count(*) > 1 then trim(ref_id) <> '' else false end

)

select * from final
