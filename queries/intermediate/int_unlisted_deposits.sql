-- One row a deposit whose status is neither `INIT` nor one of `settled_statuses`,
-- though it could be listed there: it counts as not landed. Amounts in rials.
-- Unknown: what its status means. If it is landed, then from `landed_from` to
-- `landed_until`, as int_deposit_landings has it; null where nobody knows since when.

with

deposits as (

    select * from int_deposit_landings

),

settings as (

    select * from stg_settings

),

unlisted as (

    select *
    from deposits
    where
        not is_settled
        and status <> 'INIT'
        -- the setting knows no text of nothing, nor with a space at an end
        and status <> ''
        and status = trim(status)

),

final as (

    select
        unlisted.record_id,
        unlisted.status,
        unlisted.amount_rial,
        case
            when
                unlisted.occurred_at
                < cast('9999-12-31 00:00:00+00' as timestamptz)
                then cast(
                    unlisted.occurred_at at time zone settings.timezone as date
                )
            when unlisted.occurred_at is not null
                then cast('9999-12-31' as date)
        end as business_date,
        unlisted.landed_at as landed_from,
        coalesce(unlisted.latest_at, unlisted.landed_at) as landed_until,
    from unlisted
    cross join settings

)

select * from final
