-- One row a deposit whose status is neither `INIT` nor one of `settled_statuses`,
-- though it could be listed there: it counts as not landed. Amounts in rials.
-- Unknown: what its status means. If it is landed, then from `landed_from` to
-- `landed_until`, as int_wallet_deposits has it; null where nobody knows since when.

with

deposits as (

    select * from int_deposit_entries

),

whole_days as (

    select * from int_whole_days

),

settings as (

    select * from stg_settings

),

first_seen as (

    select
        nullif(trim(gateway_transaction_id), '') as entry_id,
        status,
        min(seen_at) as status_seen_at,
    from raw_deposits
    group by nullif(trim(gateway_transaction_id), ''), status

),

unlisted as (

    select *
    from deposits
    where
        is_counted
        and not is_settled
        and status <> 'INIT'
        -- the setting knows no text of nothing, nor with a space at an end
        and status <> ''
        and status = trim(status)

),

final as (

    select
        unlisted.deposit_id,
        unlisted.record_id,
        unlisted.status,
        unlisted.amount_rial,
        case
            when
                unlisted.occurred_at
                < cast('9999-12-31 00:00:00+00' as timestamptz)
                then cast(
                    unlisted.occurred_at at time zone settings.timezone as date
                )
            when unlisted.occurred_at is not null
                then cast('9999-12-31' as date)
        end as business_date,
        coalesce(unlisted.settled_at, unlisted.requested_at) as landed_from,
        case
            when unlisted.settled_at is not null
                then coalesce(whole_days.ends_at, unlisted.settled_at)
            else least(
                coalesce(first_seen.status_seen_at, unlisted.seen_at),
                unlisted.requested_at + interval 7 day
            )
        end as landed_until,
    from unlisted
    cross join settings
    left join whole_days
        on unlisted.settled_at = whole_days.begins_at
    left join first_seen
        on
            unlisted.gateway_transaction_id = first_seen.entry_id
            and unlisted.status = first_seen.status

)

select * from final
