-- One row a deposit request of known amount that has an entry. Amounts in
-- rials; an entry without its amount adds nothing to the sum. `is_read_whole`: an entry
-- of it is of a file or of the journal, or was there when a list was read to its end;
-- of a list that was not, the others may lie on pages that failed.

with

deposits as (

    select * from stg_cash_in__deposits

),

entries as (

    select * from int_deposit_entries

),

readings as (

    select * from int_source_readings
    where source = 'deposits'

),

-- all entries of a request are made at once
read_in_part as (

    select nullif(trim(versions.track_id), '') as track_id
    from raw_deposits as versions
    cross join readings
    where coalesce(versions.outcome, '') <> 'unknown'
    group by nullif(trim(versions.track_id), '')
    having
        count(*) filter (
            where
                versions.origin is distinct from 'list'
                or versions.pull_id <= readings.last_pull_id
        ) = 0

),

requested as (

    select
        nullif(trim(track_id), '') as track_id,
        max(requested_amount_rial) as requested_rial,
        min(requested_at) as requested_at,
    from deposits
    where requested_amount_rial is not null
    group by nullif(trim(track_id), '')

),

summed as (

    select
        track_id,
        count(*) as entry_count,
        coalesce(cast(sum(amount_rial) as bigint), 0) as entries_rial,
        min(occurred_at) as occurred_at,
    from entries
    group by track_id

),

final as (

    select
        summed.track_id,
        coalesce(requested.requested_at, summed.occurred_at) as occurred_at,
        requested.requested_rial,
        summed.entry_count,
        summed.entries_rial,
        requested.requested_rial - summed.entries_rial as missing_rial,
        read_in_part.track_id is null as is_read_whole,
    from summed
    inner join requested
        on summed.track_id = requested.track_id
    left join read_in_part
        on summed.track_id = read_in_part.track_id

)

select * from final
