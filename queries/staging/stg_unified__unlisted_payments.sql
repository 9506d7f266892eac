-- One row a payment that its checkout does not list, or whose checkout is
-- unknown.

with

checkouts as (

    select * from stg_unified__uneven_checkouts

),

final as (

    select unnest(unlisted_payment_ids) as payment_id
    from checkouts
    where unlisted_count > 0

)

select * from final
