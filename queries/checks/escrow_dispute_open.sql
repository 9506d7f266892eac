-- finds: an agreement in investigation for longer than dispute_open, since its
--   last ticket event, else since it was first met in it, where it was known in
--   another state, else since it was created.
-- why: the money is held while nobody decides; buyer and seller both wait.
-- do: ask the parties and the provider for the state of the case.
-- severity: warning
-- product: escrow
-- record: tracking_code
-- source: document 1, States and transitions (investigation) and Tickets.

with

positions as (

    select * from int_escrow_positions

),

settings as (

    select * from stg_settings

),

disputes as (

    select
        positions.*,
        date_diff('second', positions.disputed_since, settings.as_of)
            as open_seconds,
        settings.dispute_open_seconds,
    from positions
    cross join settings
    where positions.state = 'investigation'

),

final as (

    select
        tracking_code as record_id,
        trace_id as related_id,
        disputed_since as occurred_at,
        cast(null as bigint) as expected,
        cast(null as bigint) as actual,
        'The dispute over {'
        || coalesce(cast(amount_rial as varchar), 'an unknown amount')
        || '} has been open for {'
        || cast(open_seconds // 3600 as varchar)
        || '} hours.' as detail,
    from disputes
    where open_seconds > dispute_open_seconds

)

select * from final
