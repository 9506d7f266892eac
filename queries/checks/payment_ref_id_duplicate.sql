-- finds: one receipt (ref_id) on two or more done payments.
-- why: a receipt is unique in the national payment network; two payments with
--   one receipt are one withdrawal counted twice.
-- do: ask the provider which of the payments the receipt belongs to, and hold
--   back the order of the other.
-- severity: critical
-- product: unified
-- record: ref_id
-- source: document 3, Resources and their fields, Payment.

with

payments as (

    select * from stg_unified__payments

),

done_payments as (

    select
        *,
        trim(ref_id) as receipt,
    from payments
    where
        status = 'done'
        and trim(ref_id) <> ''

),

receipts as (

    select
        receipt,
        count(*) as payment_count,
        array_to_string(list_sort(list(payment_id)), ' ') as payment_ids,
        max(coalesce(paid_at, created_at)) as occurred_at,
    from done_payments
    group by receipt

),

final as (

    select
        receipt as record_id,
        payment_ids as related_id,
        occurred_at,
        cast(null as bigint) as expected,
        cast(null as bigint) as actual,
        'The receipt stands on '
        || cast(payment_count as varchar)
        || ' done payments.' as detail,
    from receipts
    where payment_count > 1

)

select * from final
