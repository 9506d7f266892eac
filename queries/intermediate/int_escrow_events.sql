-- One row an event, with the agreement it speaks of. Amounts in rials. An event
-- alone proves nothing: it is corroborated when the provider's own list has the
-- agreement, and the agreement's state does not contradict it. An agreement's
-- absence counts once the list was read after the event; a contradiction once the
-- agreement was: by a whole reading, or by one in part that knew the event, and so
-- read what it names again. `told_at` is when it happened by its own word, and no
-- later than it came.

with

events as (

    select * from stg_escrow__events

),

agreements as (

    select * from stg_escrow__agreements

),

commits as (

    select * from raw_commits

),

readings as (

    select
        max(started_at) as last_started_at,
        max(started_at) filter (where whole) as last_whole_at,
        max(sequence) as last_sequence,
    from commits
    where
        kind = 'pull'
        and source = 'agreements'
        and complete

),

-- when the lake knew an event
takings as (

    select
        pull_id,
        max(committed_at) as taken_at,
        max(sequence) as taken_sequence,
    from commits
    group by pull_id

),

-- a trace_id stands in for a tracking code that an event lacks
traces as (

    select
        trace_id,
        min(tracking_code) as tracking_code,
    from agreements
    where trim(trace_id) <> ''
    group by trace_id

),

named as (

    select
        events.*,
        least(events.occurred_at, events.seen_at) as told_at,
        takings.taken_at,
        takings.taken_sequence,
        coalesce(
            nullif(trim(events.tracking_code), ''), traces.tracking_code
        ) as named_code,
        json_extract_string(events.data, '$.transaction_ref_id') as receipt,
    from events
    left join traces
        on events.trace_id = traces.trace_id
    left join takings
        on events.pull_id = takings.pull_id

),

final as (

    select
        named.named_code as tracking_code,
        named.trace_id,
        named.occurred_at,
        named.told_at,
        named.event_type,
        named.amount_rial,
        named.state,
        named.receipt,
        named.data,
        agreements.state as agreement_state,
        agreements.tracking_code is not null as is_agreement_known,
        agreements.tracking_code is not null
        and not (
            agreements.state is not distinct from 'draft'
            and (
                named.event_type in (
                    'buyer_paid_agreement',
                    'payment_refunded_to_buyer',
                    'agreement_finalized',
                    'seller_checked_out'
                )
                or (
                    named.event_type = 'agreement_change_state_from_investigation'
                    and named.state is not distinct from 'finalize'
                )
            )
        ) as is_corroborated,
        readings.last_started_at is null
        or named.told_at is null
        or coalesce(named.told_at <= readings.last_whole_at, false)
        or (
            named.told_at <= readings.last_started_at
            and (
                agreements.tracking_code is null
                or coalesce(
                    named.taken_at <= readings.last_started_at
                    and named.taken_sequence < readings.last_sequence,
                    true
                )
            )
        ) as is_list_newer,
    from named
    cross join readings
    left join agreements
        on named.named_code = agreements.tracking_code

)

select * from final
