-- finds: a record that a later complete pull of its list no longer has.
-- why: a record that was once reported and is gone takes its evidence with it.
-- do: read the record by its id; ask the provider why its list dropped it.
-- severity: critical
-- product: every
-- record: checkout id, mandate id, tracking_code
-- source: document 3, List checkouts and List mandates; document 1, List
--   agreements.

with

checkouts as (

    select * from int_sought_checkouts

),

mandates as (

    select * from stg_unified__mandates

),

agreements as (

    select * from stg_escrow__agreements

),

missing as (

    select * from int_missing_records

),

-- few are missing, and each kind is sought by itself
vanished as (

    select
        'unified' as product,
        'checkout' as kind,
        checkout_id as record_id,
        request_id as related_id,
        coalesce(created_at, updated_at) as occurred_at,
        amount_rial,
        status,
    from checkouts
    semi join missing
        on
            missing.source = 'checkouts'
            and checkouts.checkout_id is not distinct from missing.record_id
    union all
    select
        'unified' as product,
        'mandate' as kind,
        mandate_id as record_id,
        customer_id as related_id,
        coalesce(created_at, updated_at) as occurred_at,
        cast(null as bigint) as amount_rial,
        status,
    from mandates
    semi join missing
        on
            missing.source = 'mandates'
            and mandates.mandate_id is not distinct from missing.record_id
    union all
    select
        'escrow' as product,
        'agreement' as kind,
        tracking_code as record_id,
        trace_id as related_id,
        created_at as occurred_at,
        amount_rial,
        state as status,
    from agreements
    semi join missing
        on
            missing.source = 'agreements'
            and agreements.tracking_code is not distinct from missing.record_id

),

-- one id of two kinds of record is two breaks
final as (

    select
        product,
        case
            when
                count(*) over (partition by product, record_id) > 1
                then kind || ':' || record_id
            else record_id
        end as record_id,
        related_id,
        occurred_at,
        amount_rial as expected,
        cast(null as bigint) as actual,
        'The '
        || kind
        || ', last '
        || coalesce(status, 'without a status')
        || coalesce(' over {' || cast(amount_rial as varchar) || '}', '')
        || ', is missing from a later complete list.' as detail,
    from vanished

)

select * from final
