-- finds: one trace_id on two or more agreements that the provider lists; what
--   its list no longer has is record_vanished.
-- why: the trace_id is the business's own unique number; two trades stand for
--   one order, and may both be paid.
-- do: cancel the agreement that the order does not know.
-- severity: error
-- product: escrow
-- record: trace_id
-- source: document 1, Create agreement (trace_id).

with

agreements as (

    select * from stg_escrow__agreements

),

vanished as (

    select * from int_missing_agreements

),

traces as (

    select
        trim(trace_id) as trace_id,
        count(*) as agreement_count,
        array_to_string(list_sort(list(tracking_code)), ' ') as tracking_codes,
        max(created_at) as occurred_at,
    from agreements
    anti join vanished
        on agreements.tracking_code = vanished.tracking_code
    where trim(trace_id) <> ''
    group by trim(trace_id)

),

final as (

    select
        trace_id as record_id,
        tracking_codes as related_id,
        occurred_at,
        cast(null as bigint) as expected,
        cast(null as bigint) as actual,
        'The trace_id stands on '
        || cast(agreement_count as varchar)
        || ' agreements.' as detail,
    from traces
    where agreement_count > 1

)

select * from final
