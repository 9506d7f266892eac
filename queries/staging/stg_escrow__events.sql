-- One row an event, as first seen: equal created, type and data are one, and what
-- brings it again makes it no newer. Amounts in rials.

with

versions as (

    select * from raw_events

),

first_met as (

    select *
    from versions
    qualify row_number() over (
        partition by created, type, data
        order by pull_id, page_no, position
    ) = 1

),

final as (

    select
        created as occurred_at,
        type as event_type,
        data,
        tracking_code,
        trace_id,
        amount as amount_rial,
        state,
        origin,
        pull_id,
        page_no,
        position,
        seen_at,
    from first_met

)

select * from final
