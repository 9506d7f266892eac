-- One row a checkout that may have several versions: at least each that has.

with

versions as (

    select * from raw_checkouts

),

final as (

    select id
    from versions
    group by id
    having count(*) > 1

)

select * from final
