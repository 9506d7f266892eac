-- One row an event, with the agreement it speaks of. Amounts in rials. An event
-- alone proves nothing: it is corroborated when the provider's own list has the
-- agreement, and the agreement's state does not contradict it. An agreement's
-- absence counts once the list was read after the event; a contradiction once the
-- agreement was: by a whole reading, or by one in part that knew the event, and so
-- read what it names again. Where no pull ever asked for the list, both count at once;
-- where it was asked for and never read to its end, neither does. `told_at` is when it
-- happened by its own word, and no later than it came. `record_id` is how a break names
-- it: by its agreement, else its trace_id, else its type and a hash of its data.

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
        count(*) as pull_count,
        max(started_at) filter (where complete) as last_started_at,
        max(started_at) filter (where complete and whole) as last_whole_at,
        max(sequence) filter (where complete) as last_sequence,
    from commits
    where
        kind = 'pull'
        and source = 'agreements'

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

vanished as (

    select * from int_missing_agreements

),

-- a trace_id stands in for a tracking code that an event lacks; of two agreements
-- that have it, for the one that is still listed
traces as (

    select
        agreements.trace_id,
        coalesce(
            min(agreements.tracking_code) filter (
                where vanished.tracking_code is null
            ),
            min(agreements.tracking_code)
        ) as tracking_code,
    from agreements
    left join vanished
        on agreements.tracking_code = vanished.tracking_code
    where trim(agreements.trace_id) <> ''
    group by agreements.trace_id

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
        nullif(
            trim(json_extract_string(events.data, '$.transaction_ref_id')), ''
        ) as receipt,
    from events
    left join traces
        on events.trace_id = traces.trace_id
    left join takings
        on events.pull_id = takings.pull_id

),

-- what was taken after the reading came while it went on: by this machine's clock,
-- for the provider's may be behind it
dated as (

    select
        named.*,
        case
            when
                named.origin = 'delivery'
                and named.taken_sequence > readings.last_sequence
                then named.seen_at
            else named.told_at
        end as came_at,
        readings.pull_count,
        readings.last_started_at,
        readings.last_whole_at,
        coalesce(
            named.taken_at <= readings.last_started_at
            and named.taken_sequence < readings.last_sequence,
            true
        ) as was_known,
    from named
    cross join readings

),

final as (

    select
        coalesce(
            dated.named_code,
            nullif(trim(dated.trace_id), ''),
            dated.event_type || ':' || substr(md5(coalesce(dated.data, '')), 1, 8)
        ) as record_id,
        dated.named_code as tracking_code,
        dated.trace_id,
        dated.occurred_at,
        dated.told_at,
        dated.event_type,
        dated.amount_rial,
        dated.state,
        dated.receipt,
        dated.data,
        agreements.tracking_code is not null as is_agreement_known,
        agreements.tracking_code is not null
        and not (
            agreements.state is not distinct from 'draft'
            and (
                dated.event_type in (
                    'buyer_paid_agreement',
                    'payment_refunded_to_buyer',
                    'agreement_finalized',
                    'seller_checked_out'
                )
                or (
                    dated.event_type = 'agreement_change_state_from_investigation'
                    and dated.state is not distinct from 'finalize'
                )
            )
        ) as is_corroborated,
        dated.pull_count > 0 as is_list_asked,
        dated.pull_count = 0
        or (
            dated.last_started_at is not null
            and (
                dated.came_at is null
                or coalesce(dated.came_at <= dated.last_whole_at, false)
                or (
                    dated.came_at <= dated.last_started_at
                    and (agreements.tracking_code is null or dated.was_known)
                )
            )
        ) as is_list_newer,
    from dated
    left join agreements
        on dated.named_code = agreements.tracking_code

)

select * from final
