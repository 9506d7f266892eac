-- One row a mandate that a later complete list of the mandates lacks.

with

mandates as (

    select * from stg_unified__mandates

),

commits as (

    select * from raw_commits

),

seen as (

    select id from raw_seen_ids
    where source_table = 'mandates'

),

sweeps as (

    select max(pull_id) as pull_id
    from commits
    where
        source = 'mandates'
        and kind = 'pull'
        and complete
        and whole

),

final as (

    select mandates.mandate_id
    from mandates
    inner join sweeps
        on mandates.pull_id < sweeps.pull_id
    anti join seen
        on mandates.mandate_id = seen.id

)

select * from final
