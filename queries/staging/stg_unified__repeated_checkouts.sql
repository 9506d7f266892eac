-- One row a checkout that may have several versions among those that stand: at
-- least each that has.

with

compacted as (

    select * from raw_checkouts_compacted

),

later as (

    select * from raw_checkouts_later

),

every_later as (

    select * from raw_checkouts_later

),

several as (

    select id
    from later
    group by id
    having count(*) > 1

),

again as (

    select compacted.id
    from compacted
    semi join every_later
        on compacted.id is not distinct from every_later.id

),

final as (

    select id from several
    union distinct
    select id from again

)

select * from final
