-- One row an event, with the agreement it speaks of. Amounts in rials. An event
-- alone proves nothing: it is corroborated when the provider's own list has the
-- agreement, and the agreement's state does not contradict it. A contradiction,
-- or an agreement's absence, counts once the list was read after the event.

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

    select max(started_at) as last_started_at
    from commits
    where
        kind = 'pull'
        and source = 'agreements'
        and complete

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
        coalesce(
            nullif(trim(events.tracking_code), ''), traces.tracking_code
        ) as named_code,
        json_extract_string(events.data, '$.transaction_ref_id') as receipt,
    from events
    left join traces
        on events.trace_id = traces.trace_id

),

final as (

    select
        named.named_code as tracking_code,
        named.trace_id,
        named.occurred_at,
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
            and named.event_type in (
                'buyer_paid_agreement',
                'agreement_finalized',
                'seller_checked_out'
            )
        ) as is_corroborated,
        readings.last_started_at is null
        or coalesce(
            least(named.occurred_at, named.seen_at) <= readings.last_started_at,
            true
        ) as is_list_newer,
    from named
    cross join readings
    left join agreements
        on named.named_code = agreements.tracking_code

)

select * from final
