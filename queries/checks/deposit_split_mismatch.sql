-- finds: the entries of a track_id that do not sum to the amount requested;
--   nothing where the requested amount is not known.
-- why: a part of the deposit is missing, or was taken twice.
-- do: compare with the debits of the bank account, and ask the provider for the
--   rest.
-- severity: critical
-- product: cash_in
-- record: track_id
-- source: document 2, Endpoints, A. Deposit (splitting).

with

deposits as (

    select * from stg_cash_in__deposits

),

entries as (

    select * from int_deposit_entries

),

settings as (

    select * from stg_settings

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
        summed.track_id as record_id,
        cast(null as varchar) as related_id,
        coalesce(requested.requested_at, summed.occurred_at) as occurred_at,
        requested.requested_rial as expected,
        summed.entries_rial as actual,
        cast(summed.entry_count as varchar)
        || case
            when summed.entry_count = 1 then ' entry sums to '
            else ' entries sum to '
        end
        || cast(summed.entries_rial as varchar)
        || ', requested were '
        || cast(requested.requested_rial as varchar)
        || '.' as detail,
    from summed
    inner join requested
        on summed.track_id = requested.track_id
    cross join settings
    where
        abs(summed.entries_rial - requested.requested_rial)
        > settings.tolerance_rial

)

select * from final
