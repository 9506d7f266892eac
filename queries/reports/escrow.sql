-- One row an agreement that money was paid for or out of, or that is disputed. In rials.
-- `held` is what the buyer paid less what was refunded and paid out, by corroborated
-- events. For charts and notebooks.

with

positions as (

    select * from int_escrow_positions

),

settings as (

    select * from stg_settings

),

final as (

    select
        positions.tracking_code,
        positions.trace_id,
        positions.state,
        positions.amount_rial as amount,
        positions.created_at,
        positions.paid_at,
        case
            when positions.paid_at < cast('0001-01-02 00:00:00+00' as timestamptz)
                then cast('0001-01-01' as date)
            when positions.paid_at < cast('9999-12-31 00:00:00+00' as timestamptz)
                then cast(
                    positions.paid_at at time zone settings.timezone as date
                )
            when positions.paid_at is not null then cast('9999-12-31' as date)
        end as paid_date,
        coalesce(positions.paid_rial, 0) as paid,
        positions.refunded_rial as refunded,
        positions.paid_out_rial as paid_out,
        coalesce(positions.paid_rial, 0)
        - positions.refunded_rial
        - positions.paid_out_rial as held,
        case
            when
                coalesce(positions.paid_rial, 0)
                > positions.refunded_rial + positions.paid_out_rial
                then
                    date_diff(
                        'day',
                        cast(
                            positions.paid_at at time zone settings.timezone as date
                        ),
                        cast(settings.as_of at time zone settings.timezone as date)
                    )
        end as held_days,
        coalesce(positions.state = 'investigation', false) as is_disputed,
        positions.is_finalized,
        positions.is_cancelled,
    from positions
    cross join settings
    where
        positions.is_paid
        or positions.refunded_rial <> 0
        or positions.paid_out_rial <> 0
        or positions.state = 'investigation'

)

select * from final
