-- One row a mandate that a later complete list of the mandates lacks.

with

mandates as (

    select * from stg_unified__mandates

),

readings as (

    select * from int_source_readings
    where source = 'mandates'

),

seen as (

    select id from raw_seen_ids
    where source_table = 'mandates'

),

final as (

    select mandates.mandate_id
    from mandates
    inner join readings
        on mandates.pull_id < readings.last_sweep_id
    anti join seen
        on mandates.mandate_id = seen.id

)

select * from final
