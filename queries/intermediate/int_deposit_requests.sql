-- One row a deposit request of known amount that has an entry. Amounts in
-- rials; an entry without its amount adds nothing to the sum.

with

deposits as (

    select * from stg_cash_in__deposits

),

entries as (

    select * from int_deposit_entries

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
    from summed
    inner join requested
        on summed.track_id = requested.track_id

)

select * from final
