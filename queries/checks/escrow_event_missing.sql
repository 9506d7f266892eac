-- finds: an agreement whose state implies an event that never came: draft and
--   contract imply agreement_created, finalize also buyer_paid_agreement and
--   agreement_finalized, investigation a ticket event. Only for agreements
--   created after the first event that the lake holds.
-- why: deliveries are being missed; payments and payouts go unseen.
-- do: see that the receiver runs and that the webhook is active and subscribed;
--   import the missed events.
-- severity: info
-- product: escrow
-- record: tracking_code
-- source: document 1, Events and States and transitions.

with

agreements as (

    select * from stg_escrow__agreements

),

events as (

    select * from int_escrow_events

),

beginning as (

    select min(occurred_at) as first_event_at
    from events

),

came as (

    select
        tracking_code,
        count(*) filter (where event_type = 'agreement_created')
            as created_count,
        count(*) filter (where event_type = 'buyer_paid_agreement')
            as paid_count,
        count(*) filter (where event_type = 'agreement_finalized')
            as finalized_count,
        count(*) filter (
            where
                event_type in (
                    'buyer_submitted_ticket', 'seller_submitted_ticket'
                )
        ) as ticket_count,
    from events
    group by tracking_code

),

implied as (

    select
        agreements.tracking_code,
        agreements.trace_id,
        agreements.created_at,
        agreements.state,
        agreements.state in ('draft', 'contract', 'finalize')
        and coalesce(came.created_count, 0) = 0 as is_created_missing,
        agreements.state = 'finalize'
        and coalesce(came.paid_count, 0) = 0 as is_paid_missing,
        agreements.state = 'finalize'
        and coalesce(came.finalized_count, 0) = 0 as is_finalized_missing,
        agreements.state = 'investigation'
        and coalesce(came.ticket_count, 0) = 0 as is_ticket_missing,
    from agreements
    cross join beginning
    left join came
        on agreements.tracking_code = came.tracking_code
    where agreements.created_at > beginning.first_event_at

),

final as (

    select
        tracking_code as record_id,
        trace_id as related_id,
        created_at as occurred_at,
        cast(null as bigint) as expected,
        cast(null as bigint) as actual,
        'The agreement is in '
        || state
        || ', and these events never came:'
        || case when is_created_missing then ' agreement_created' else '' end
        || case when is_paid_missing then ' buyer_paid_agreement' else '' end
        || case
            when is_finalized_missing then ' agreement_finalized' else ''
        end
        || case when is_ticket_missing then ' a ticket event' else '' end
        || '.' as detail,
    from implied
    where
        is_created_missing
        or is_paid_missing
        or is_finalized_missing
        or is_ticket_missing

)

select * from final
