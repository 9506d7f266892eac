-- One row an agreement: what came in, what went out, and since when. In rials.
-- Finalized and cancelled are told by event, and by state where there is none.
-- Only corroborated events count, at the time that they tell and no later than they
-- came: what dates itself in the future is no excuse until then. `paid_at` alone is the
-- event's own word, as reports and the journal have it; `paid_by` is no later than it
-- came.
-- `is_payment_implied` where event and state both say that it was finalized, which
-- only a paid one can be, though its payment's event may be lost.
-- `is_out_known` is false where a refund or a payout does not tell its amount.
-- `disputed_since` is of those in investigation; `dispute_ended_at` is when an event
-- last told that one had ended, in whatever state.
-- What was first met in its final state, without an event of that, was so since its
-- payment at the earliest, and since the last event that only an open one has. Where
-- pulls failed between its payment and the first that met it, nobody knows how long it
-- was so: it counts from when it was met.
-- Whoever knows the business's name can forge amounts: sums stop at 4 * 10^18.
-- Unknown: the names of the final states beyond `finalize`.

with

agreements as (

    select * from stg_escrow__agreements

),

versions as (

    select * from raw_agreements

),

events as (

    select * from int_escrow_events
    where is_corroborated

),

failed_pulls as (

    select
        pull_id,
        started_at,
    from raw_commits
    where
        kind = 'pull'
        and source = 'agreements'
        and not complete

),

payments as (

    select * from int_escrow_payments

),

paid as (

    select
        tracking_code,
        min(first_paid_at) as paid_at,
        min(first_paid_by) as paid_by,
        cast(
            case
                when sum(amount_rial) > 4000000000000000000
                    then 4000000000000000000
                else sum(amount_rial)
            end as bigint
        ) as paid_rial,
    from payments
    group by tracking_code

),

told as (

    select
        tracking_code,
        min(told_at) filter (
            where
                event_type = 'agreement_finalized'
                or (
                    event_type = 'agreement_change_state_from_investigation'
                    and state = 'finalize'
                )
        ) as finalized_at,
        min(told_at) filter (
            where
                event_type = 'agreement_cancelled'
                or (
                    event_type = 'agreement_change_state_from_investigation'
                    and state in ('cancel', 'canceled', 'cancelled')
                )
        ) as cancelled_at,
        min(told_at) filter (
            where event_type = 'payment_refunded_to_buyer'
        ) as refunded_at,
        -- one of nothing paid nobody
        min(told_at) filter (
            where
                event_type = 'seller_checked_out'
                and coalesce(amount_rial > 0, true)
        ) as paid_out_at,
        max(told_at) filter (
            where
                event_type in (
                    'payment_refunded_to_buyer', 'seller_checked_out'
                )
        ) as last_out_at,
        max(told_at) filter (
            where
                event_type in (
                    'buyer_submitted_ticket', 'seller_submitted_ticket'
                )
        ) as ticket_at,
        max(told_at) filter (
            where
                event_type in (
                    'agreement_change_state_from_investigation',
                    'agreement_finalized',
                    'agreement_cancelled'
                )
        ) as dispute_ended_at,
        max(told_at) filter (
            where
                event_type in (
                    'agreement_created',
                    'buyer_agreed_agreement',
                    'seller_agreed_agreement',
                    'buyer_submitted_ticket',
                    'seller_submitted_ticket'
                )
                or (
                    event_type = 'agreement_change_state_from_investigation'
                    and state = 'contract'
                )
        ) as last_open_at,
        count(*) filter (
            where
                event_type in (
                    'payment_refunded_to_buyer', 'seller_checked_out'
                )
                and amount_rial is null
        ) as unknown_out_count,
        coalesce(
            cast(
                case
                    when sum(amount_rial) filter (
                        where event_type = 'payment_refunded_to_buyer'
                    ) > 4000000000000000000
                        then 4000000000000000000
                    else sum(amount_rial) filter (
                        where event_type = 'payment_refunded_to_buyer'
                    )
                end as bigint
            ),
            0
        ) as refunded_rial,
        coalesce(
            cast(
                case
                    when sum(amount_rial) filter (
                        where event_type = 'seller_checked_out'
                    ) > 4000000000000000000
                        then 4000000000000000000
                    else sum(amount_rial) filter (
                        where event_type = 'seller_checked_out'
                    )
                end as bigint
            ),
            0
        ) as paid_out_rial,
    from events
    group by tracking_code

),

-- when an agreement was last found in another state than now
others as (

    select
        agreements.tracking_code,
        max(versions.seen_at) as other_at,
    from agreements
    inner join versions
        on agreements.tracking_code = versions.tracking_code
    where versions.state is distinct from agreements.state
    group by agreements.tracking_code

),

-- when it was first met, and in this state after all others
changes as (

    select
        agreements.tracking_code,
        max(others.other_at) as other_at,
        min(versions.seen_at) filter (
            where
                versions.state is not distinct from agreements.state
                and versions.seen_at >= others.other_at
        ) as state_since,
        min(versions.seen_at) as first_seen_at,
        min(versions.pull_id) as first_pull_id,
    from agreements
    inner join versions
        on agreements.tracking_code = versions.tracking_code
    left join others
        on agreements.tracking_code = others.tracking_code
    group by agreements.tracking_code

),

-- met for the first time, after pulls that might have met it in another state
met_late as (

    select distinct changes.tracking_code
    from changes
    inner join paid
        on changes.tracking_code = paid.tracking_code
    inner join failed_pulls
        on
            changes.first_pull_id > failed_pulls.pull_id
            and changes.first_seen_at >= failed_pulls.started_at
            and paid.paid_by <= failed_pulls.started_at
    where changes.other_at is null

),

joined as (

    select
        agreements.tracking_code,
        agreements.trace_id,
        agreements.amount_rial,
        agreements.state,
        agreements.created_at,
        least(agreements.created_at, changes.first_seen_at) as known_since,
        paid.paid_at,
        paid.paid_by,
        paid.paid_rial,
        told.finalized_at as told_finalized_at,
        told.cancelled_at as told_cancelled_at,
        told.refunded_at,
        told.paid_out_at,
        told.last_out_at,
        told.ticket_at,
        told.dispute_ended_at,
        case
            when changes.state_since is not null then changes.state_since
            when met_late.tracking_code is not null then changes.first_seen_at
            else coalesce(
                greatest(paid.paid_by, told.last_open_at),
                least(agreements.created_at, changes.first_seen_at)
            )
        end as final_since,
        agreements.seen_at,
        coalesce(told.refunded_rial, 0) as refunded_rial,
        coalesce(told.paid_out_rial, 0) as paid_out_rial,
        coalesce(told.unknown_out_count, 0) = 0 as is_out_known,
        coalesce(agreements.state = 'finalize', false) as is_finalized_by_state,
        coalesce(
            agreements.state in ('cancel', 'canceled', 'cancelled'), false
        ) as is_cancelled_by_state,
        changes.other_at,
        changes.state_since,
    from agreements
    left join changes
        on agreements.tracking_code = changes.tracking_code
    left join paid
        on agreements.tracking_code = paid.tracking_code
    left join told
        on agreements.tracking_code = told.tracking_code
    left join met_late
        on agreements.tracking_code = met_late.tracking_code

),

final as (

    select
        tracking_code,
        trace_id,
        amount_rial,
        state,
        created_at,
        paid_at is not null as is_paid,
        paid_at,
        paid_by,
        paid_rial,
        told_finalized_at is not null or is_finalized_by_state as is_finalized,
        told_finalized_at is not null and is_finalized_by_state
            as is_payment_implied,
        coalesce(told_finalized_at, final_since) as finalized_at,
        told_cancelled_at is not null or is_cancelled_by_state as is_cancelled,
        coalesce(told_cancelled_at, final_since) as cancelled_at,
        refunded_at is not null as is_refunded,
        refunded_rial,
        paid_out_at is not null as is_paid_out,
        paid_out_rial,
        is_out_known,
        last_out_at,
        -- a ticket from before it was in another state is of an earlier dispute
        case
            when state = 'investigation'
                then coalesce(
                    case when ticket_at > other_at or other_at is null
                        then ticket_at end,
                    state_since,
                    known_since
                )
        end as disputed_since,
        dispute_ended_at,
        seen_at,
    from joined

)

select * from final
