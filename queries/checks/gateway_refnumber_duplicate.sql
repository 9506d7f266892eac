-- finds: one refnumber on two or more transactions.
-- why: a receipt is unique in the national payment network; two transactions
--   with one receipt are one payment counted twice.
-- do: ask the provider which transaction the receipt belongs to, and hold back
--   the order of the other.
-- severity: critical
-- product: gateway
-- record: refnumber
-- source: document 2, Resources and their fields, B. Transaction data.

with

payments as (

    select * from int_gateway_payments

),

receipts as (

    select
        refnumber,
        count(*) as transaction_count,
        array_to_string(list_sort(list(token)), ' ') as tokens,
        max(occurred_at) as occurred_at,
    from payments
    where refnumber is not null
    group by refnumber

),

final as (

    select
        refnumber as record_id,
        tokens as related_id,
        occurred_at,
        cast(null as bigint) as expected,
        cast(null as bigint) as actual,
        'The receipt stands on '
        || cast(transaction_count as varchar)
        || ' transactions.' as detail,
    from receipts
    where transaction_count > 1

)

select * from final
