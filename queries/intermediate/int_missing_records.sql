-- One row a record that a later complete list of its kind lacks, found by few
-- columns.
-- kept: few are sought among all records.

with

commits as (

    select * from raw_commits

),

-- by hashes of 64 bits, as the pull itself knows ids: of very many the texts would
-- be spilled
seen_checkouts as (

    select hash(id) as id_hash
    from raw_seen_ids
    where source_table = 'checkouts'

),

every_checkout as (

    select
        checkout_id,
        hash(checkout_id) as id_hash,
        pull_id,
    from stg_unified__checkouts

),

sweeps as (

    select max(pull_id) as pull_id
    from commits
    where
        source = 'checkouts'
        and kind = 'pull'
        and complete
        and whole

),

final as (

    select
        'checkouts' as source,
        every_checkout.checkout_id as record_id,
    from every_checkout
    inner join sweeps
        on every_checkout.pull_id < sweeps.pull_id
    anti join seen_checkouts
        on every_checkout.id_hash = seen_checkouts.id_hash
    union all
    select
        'mandates' as source,
        mandate_id as record_id,
    from int_missing_mandates
    union all
    select
        'agreements' as source,
        tracking_code as record_id,
    from int_missing_agreements

)

select * from final
