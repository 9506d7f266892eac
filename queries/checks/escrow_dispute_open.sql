-- finds: an agreement in investigation for longer than dispute_open, since its
--   last ticket event, else since it was first met in it, where it was known in
--   another state, else since it was created. What a failed pull could not read
--   again is as old as when it was read, unless an event told since that the
--   investigation ended.
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

readings as (

    select max(whole_until) as whole_until
    from int_source_readings
    where source = 'agreements'

),

read_until as (

    select
        positions.*,
        case
            when readings.whole_until is null then settings.as_of
            else greatest(readings.whole_until, positions.seen_at)
        end as known_until,
        readings.whole_until is not null as is_behind,
        settings.dispute_open_seconds,
    from positions
    cross join settings
    cross join readings
    where positions.state = 'investigation'

),

disputes as (

    select
        *,
        date_diff('second', disputed_since, known_until) as open_seconds,
    from read_until
    where
        not is_behind
        or not coalesce(
            dispute_ended_at > greatest(known_until, disputed_since), false
        )

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
        || cast(open_seconds as varchar)
        || ' seconds}.' as detail,
    from disputes
    where open_seconds > dispute_open_seconds

)

select * from final
