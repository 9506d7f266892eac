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

seen_agreements as (

    select id from raw_seen_ids
    where source_table = 'agreements'

),

sweeps as (

    select
        source,
        max(pull_id) as pull_id,
    from commits
    where
        kind = 'pull'
        and complete
        and whole
        and source in ('checkouts', 'agreements')
    group by source

),

final as (

    select
        'checkouts' as source,
        every_checkout.checkout_id as record_id,
    from every_checkout
    inner join sweeps
        on
            sweeps.source = 'checkouts'
            and every_checkout.pull_id < sweeps.pull_id
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
        every_agreement.tracking_code as record_id,
    from stg_escrow__agreements as every_agreement
    inner join sweeps
        on
            sweeps.source = 'agreements'
            and every_agreement.pull_id < sweeps.pull_id
    anti join seen_agreements
        on every_agreement.tracking_code = seen_agreements.id

)

select * from final
