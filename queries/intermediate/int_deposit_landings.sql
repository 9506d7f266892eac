-- One row a counted deposit entry: when it landed, if what its status says is that it
-- did. `landed_at` is `settled_at`, else `requested_at`; null where nobody knows. By
-- `latest_at`, if it is not null, it landed: at the end of a day that is given without
-- a time, or, where there is only the time of the request, when any version of it was
-- first seen with its status (one settled status is as good as another). Unknown: how
-- long a bank takes; a week is taken at most.

with

entries as (

    select *
    from int_deposit_entries
    where is_counted

),

whole_days as (

    select * from int_whole_days

),

first_seen as (

    select
        nullif(trim(versions.gateway_transaction_id), '') as entry_id,
        settled_statuses.status is not null as is_settled,
        case
            when settled_statuses.status is null
                then coalesce(versions.status, '')
            else ''
        end as other_status,
        min(versions.seen_at) as status_seen_at,
    from raw_deposits as versions
    left join stg_settled_statuses as settled_statuses
        on versions.status = settled_statuses.status
    group by
        nullif(trim(versions.gateway_transaction_id), ''),
        settled_statuses.status is not null,
        case
            when settled_statuses.status is null
                then coalesce(versions.status, '')
            else ''
        end

),

final as (

    select
        entries.*,
        coalesce(entries.settled_at, entries.requested_at) as landed_at,
        case
            when entries.settled_at is not null then whole_days.ends_at
            else least(
                coalesce(first_seen.status_seen_at, entries.seen_at),
                entries.requested_at + interval 7 day
            )
        end as latest_at,
    from entries
    left join whole_days
        on entries.settled_at = whole_days.begins_at
    left join first_seen
        on
            entries.gateway_transaction_id = first_seen.entry_id
            and entries.is_settled = first_seen.is_settled
            and case
                when entries.is_settled then ''
                else coalesce(entries.status, '')
            end = first_seen.other_status

)

select * from final
