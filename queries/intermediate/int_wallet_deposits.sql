-- One row a deposit that reached the wallet, or may have. Amounts in rials.
-- Settled: at `settled_at`, else `requested_at`. By `latest_at`, if it is not null, it
-- landed: at the end of a day that is given without a time, or, where there is only
-- the time of the request, when any version of it was first seen as settled. Unknown: how long a
-- bank takes; a week is taken at most. `INIT`: queued, may land at any time from its
-- request on. Unknown: what other statuses mean; a status that is neither `INIT` nor
-- named in `settled_statuses` moves nothing and explains nothing.

with

deposits as (

    select * from stg_cash_in__deposits

),

settings as (

    select * from stg_settings

),

whole_days as (

    select * from int_whole_days

),

first_settled as (

    select
        nullif(trim(versions.gateway_transaction_id), '') as entry_id,
        min(versions.seen_at) as settled_seen_at,
    from raw_deposits as versions
    inner join stg_settled_statuses as settled_statuses
        on versions.status = settled_statuses.status
    group by nullif(trim(versions.gateway_transaction_id), '')

),

entries as (

    select
        deposit_entries.*,
        whole_days.ends_at as settled_until,
        coalesce(
            first_settled.settled_seen_at, deposit_entries.seen_at
        ) as settled_seen_at,
    from int_deposit_entries as deposit_entries
    left join whole_days
        on deposit_entries.settled_at = whole_days.begins_at
    left join first_settled
        on deposit_entries.gateway_transaction_id = first_settled.entry_id
    where deposit_entries.is_counted

),

answered as (

    select distinct track_id
    from entries

),

unanswered as (

    select deposits.*
    from deposits
    left join answered
        on nullif(trim(deposits.track_id), '') = answered.track_id
    where
        deposits.outcome = 'unknown'
        and answered.track_id is null

),

classified as (

    select
        deposit_id,
        gateway_transaction_id,
        track_id,
        amount_rial,
        wage_rial,
        iban,
        requested_at,
        case
            when is_settled then coalesce(settled_at, requested_at)
        end as landed_at,
        case
            when is_settled and settled_at is null
                then least(settled_seen_at, requested_at + interval 7 day)
            when is_settled then settled_until
        end as latest_at,
        case
            when is_settled then 'settled'
            when status = 'INIT' then 'queued'
            else 'other_status'
        end as situation,
        pull_id,
        page_no,
        position,
    from entries

    union all

    select
        deposit_id,
        gateway_transaction_id,
        track_id,
        coalesce(amount_rial, requested_amount_rial) as amount_rial,
        wage_rial,
        iban,
        requested_at,
        cast(null as timestamptz) as landed_at,
        cast(null as timestamptz) as latest_at,
        'outcome_unknown' as situation,
        pull_id,
        page_no,
        position,
    from unanswered

),

final as (

    select
        classified.deposit_id,
        coalesce(
            nullif(trim(classified.gateway_transaction_id), ''),
            classified.track_id
        ) as record_id,
        case
            when classified.situation <> 'settled'
                then 'deposit_' || classified.situation
            when classified.landed_at is null then 'deposit_without_time'
            when classified.amount_rial is null then 'deposit_without_amount'
            else 'deposit_settled'
        end as kind,
        classified.landed_at as occurred_at,
        classified.latest_at,
        coalesce(
            classified.amount_rial
            - case
                when settings.wage_from = 'wallet'
                    then coalesce(classified.wage_rial, 0)
                else 0
            end,
            0
        ) as effect_rial,
        case
            when classified.landed_at is not null then 'certain'
            when classified.situation = 'queued' then 'in_transit'
            else 'uncertain'
        end as certainty,
        classified.requested_at as possible_from,
        cast(null as timestamptz) as possible_until,
        classified.amount_rial,
        classified.wage_rial,
        nullif(upper(replace(classified.iban, ' ', '')), '') as iban,
        classified.pull_id,
        classified.page_no,
        classified.position,
    from classified
    cross join settings

)

select * from final
