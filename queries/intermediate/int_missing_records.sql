-- One row a record that a later complete list of its kind lacks, found by few
-- columns.
-- kept: few are sought among all records.

with

readings as (

    select * from int_source_readings
    where source = 'checkouts'

),

-- by hashes of 64 bits, as the pull itself knows ids: of very many the texts would
-- be spilled
seen_checkouts as (

    select hash(id) as id_hash
    from raw_seen_ids
    where source_table = 'checkouts'

),

every_checkout as (

    select
        checkout_id,
        hash(checkout_id) as id_hash,
        pull_id,
    from stg_unified__checkouts

),

final as (

    select
        'checkouts' as source,
        every_checkout.checkout_id as record_id,
    from every_checkout
    inner join readings
        on every_checkout.pull_id < readings.last_sweep_id
    anti join seen_checkouts
        on every_checkout.id_hash = seen_checkouts.id_hash
    union all
    select
        'mandates' as source,
        mandate_id as record_id,
    from int_missing_mandates
    union all
    select
        'agreements' as source,
        tracking_code as record_id,
    from int_missing_agreements

)

select * from final
