-- One row an agreement that a later complete list of the agreements lacks.

with

agreements as (

    select * from stg_escrow__agreements

),

commits as (

    select * from raw_commits

),

seen as (

    select id from raw_seen_ids
    where source_table = 'agreements'

),

sweeps as (

    select max(pull_id) as pull_id
    from commits
    where
        source = 'agreements'
        and kind = 'pull'
        and complete
        and whole

),

final as (

    select agreements.tracking_code
    from agreements
    inner join sweeps
        on agreements.pull_id < sweeps.pull_id
    anti join seen
        on agreements.tracking_code = seen.id

)

select * from final
