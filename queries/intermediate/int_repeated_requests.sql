-- One row a request_id that two or more checkouts have.
-- kept: few are sought among all checkouts.

with

checkouts as (

    select * from stg_unified__checkouts

),

-- only of the few that repeat it is asked whether they are blank: to trim all
-- costs as much as to group them
final as (

    select request_id
    from checkouts
    group by request_id
    having case when count(*) > 1 then trim(request_id) <> '' else false end

)

select * from final
