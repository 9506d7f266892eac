-- One row an agreement that a later complete list of the agreements lacks.

with

agreements as (

    select * from stg_escrow__agreements

),

readings as (

    select * from int_source_readings
    where source = 'agreements'

),

seen as (

    select id from raw_seen_ids
    where source_table = 'agreements'

),

final as (

    select agreements.tracking_code
    from agreements
    inner join readings
        on agreements.pull_id < readings.last_sweep_id
    anti join seen
        on agreements.tracking_code = seen.id

)

select * from final
