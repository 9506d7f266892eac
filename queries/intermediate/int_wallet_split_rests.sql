-- One row a deposit request whose entries do not sum to what was asked. In
-- rials.

with

deposits as (

    select *
    from stg_cash_in__deposits
    where outcome <> 'unknown'

),

summed as (

    select
        track_id,
        min(requested_at) as requested_at,
        max(requested_amount_rial) as requested_rial,
        cast(sum(amount_rial) as bigint) as entries_rial,
    from deposits
    group by track_id

),

final as (

    select
        track_id,
        requested_at,
        requested_rial,
        entries_rial,
        requested_rial - entries_rial as missing_rial,
    from summed
    where requested_rial <> entries_rial

)

select * from final
