-- finds: an event whose agreement is unknown, or whose state contradicts it:
--   paid, refunded, finalized or paid out while the agreement is a draft.
-- why: the signature's key is only the business's public name, so anybody can
--   send an event; goods delivered on such a word are lost.
-- do: deliver nothing for it; read the agreement, and see who could send the
--   event.
-- severity: critical
-- product: escrow
-- record: tracking_code
-- source: document 1, Events (signature) and States and transitions.
-- false alarm: the event came after the agreement was read; it is judged once
--   that has been read again.

with

events as (

    select * from int_escrow_events

),

doubtful as (

    select *
    from events
    where
        not is_corroborated
        and is_list_newer

),

counted as (

    select
        *,
        count(*) over (partition by record_id) as event_count,
    from doubtful
    qualify row_number() over (
        partition by record_id
        order by occurred_at desc, event_type, data
    ) = 1

),

final as (

    select
        record_id,
        trace_id as related_id,
        occurred_at,
        cast(null as bigint) as expected,
        amount_rial as actual,
        'The event '
        || event_type
        || case
            when is_agreement_known
                then ' speaks of an agreement that is a draft'
            when not is_list_asked
                then ' speaks of an agreement, and no list of agreements'
                || ' was ever read'
            else ' speaks of an agreement that the provider does not list'
        end
        || case
            when event_count = 1 then '.'
            else '; ' || cast(event_count as varchar) || ' such events.'
        end as detail,
    from counted

)

select * from final
