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

    select * from int_unsound_payments

),

repeated as (

    select * from int_repeated_receipts

),

receipts as (

    select
        repeated.receipt,
        count(*) as payment_count,
        array_to_string(list_sort(list(payments.payment_id)), ' ')
            as payment_ids,
        max(coalesce(payments.paid_at, payments.created_at)) as occurred_at,
    from payments
    inner join repeated
        on trim(payments.ref_id) = repeated.receipt
    where payments.status = 'done'
    group by repeated.receipt
    having count(*) > 1

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

)

select * from final
