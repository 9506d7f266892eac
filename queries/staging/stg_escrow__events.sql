-- One row an event: equal created, type and data are one. Amounts in rials.

with

versions as (

    select * from raw_events_standing

),

latest as (

    select *
    from versions
    qualify row_number() over (
        partition by created, type, data
        order by pull_id desc, page_no desc, position desc
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
    from latest

)

select * from final
