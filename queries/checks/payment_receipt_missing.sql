-- finds: a done payment without its digital receipt (ref_id) or its time
--   (paid_at).
-- why: without them nobody can trace the payment in the national payment
--   network, nor say to which day it belongs.
-- do: read the checkout again; if the field stays empty, ask the provider for
--   it.
-- severity: warning
-- product: unified
-- record: payment id
-- source: document 3, Resources and their fields, Payment.

with

payments as (

    select * from int_unsound_payments

),

done_payments as (

    select
        *,
        coalesce(trim(ref_id), '') = '' as is_receipt_missing,
        paid_at is null as is_time_missing,
    from payments
    where status = 'done'

),

final as (

    select
        payment_id as record_id,
        checkout_id as related_id,
        coalesce(paid_at, created_at) as occurred_at,
        cast(null as bigint) as expected,
        cast(null as bigint) as actual,
        case
            when is_receipt_missing and is_time_missing
                then 'The done payment has neither ref_id nor paid_at.'
            when is_receipt_missing then 'The done payment has no ref_id.'
            else 'The done payment has no paid_at.'
        end as detail,
    from done_payments
    where is_receipt_missing or is_time_missing

)

select * from final
