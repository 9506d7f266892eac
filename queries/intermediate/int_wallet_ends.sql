-- One row where the wallet has two snapshots: the first and the last one. What moved
-- the wallet by `first_at`, or after `last_at`, is held against no balance; until
-- `until_at`, 36 hours ago: what is younger the next snapshot may have.

with

snapshots as (

    select * from int_wallet_snapshots

),

settings as (

    select * from stg_settings

),

counted as (

    select
        min(snapshot_at) as first_at,
        max(snapshot_at) as last_at,
        count(*) as snapshot_count,
    from snapshots

),

final as (

    select
        counted.first_at,
        counted.last_at,
        settings.as_of - interval 36 hour as until_at,
    from counted
    cross join settings
    where counted.snapshot_count > 1

)

select * from final
