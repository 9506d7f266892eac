-- One row a receipt that two or more done payments may have: each version that
-- may be the newest counts.
-- kept: few are sought among all payments.

with

versions as (

    select * from raw_payments_standing

),

-- only of the few that repeat it is asked whether they are blank
final as (

    select trim(ref_id) as receipt
    from versions
    where
        status = 'done'
        and ref_id is not null
    group by trim(ref_id)
    having case when count(*) > 1 then trim(ref_id) <> '' else false end

)

select * from final
