-- One row a request_id that two or more checkouts have.
-- kept: few are sought among all checkouts.

with

checkouts as (

    select * from stg_unified__checkouts

),

final as (

    select request_id
    from checkouts
    where trim(request_id) <> ''
    group by request_id
    having count(*) > 1

)

select * from final
