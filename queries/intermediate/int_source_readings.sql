-- One row a source that pulls asked for: what happened until `known_at` was read of
-- it, as far as it is read; null where no pull ever came to its end. `last_pull_id` is
-- of the last one that did, `last_sweep_id` of the last that read all of it.
-- `is_behind`: the newest pull did not; then what came after `whole_until` may be there
-- and not read, and what waited then may have moved on. It is null where nothing is
-- behind, and before all times where nothing was ever read.

with

commits as (

    select * from raw_commits

),

readings as (

    select
        source,
        max(started_at) filter (where complete) as known_at,
        max(pull_id) filter (where complete) as last_pull_id,
        max(pull_id) filter (where complete and whole) as last_sweep_id,
        max(sequence) > coalesce(max(sequence) filter (where complete), 0)
            as is_behind,
    from commits
    where kind = 'pull'
    group by source

),

final as (

    select
        *,
        case
            when is_behind
                then
                    coalesce(
                        known_at,
                        cast('1970-01-01 00:00:00+00' as timestamptz)
                    )
        end as whole_until,
    from readings

)

select * from final
