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

final as (

    select
        min(snapshots.snapshot_at) as first_at,
        max(snapshots.snapshot_at) as last_at,
        settings.as_of - interval 36 hour as until_at,
    from snapshots
    cross join settings
    group by settings.as_of
    having count(*) > 1

)

select * from final
