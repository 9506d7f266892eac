-- finds: more done payments of a mandate in a month than its count allows.
-- why: the customer allowed that many withdrawals a month and no more.
-- do: pay the further payments back, or have the customer grant a higher count.
-- severity: critical
-- product: unified
-- record: mandate id:YYYY-MM
-- source: document 3, Limits, 1.
-- false alarm: the provider counts by another calendar than business.calendar
--   (Unknown: the contract says only "per month").

with

payments as (

    select * from int_mandate_payments

),

months as (

    select
        mandate_id,
        month,
        max(monthly_count) as monthly_count,
        count(*) as payment_count,
        max(used_at) as occurred_at,
    from payments
    where
        is_done
        and is_mandate_known
        and month is not null
    group by mandate_id, month

),

final as (

    select
        mandate_id || ':' || month as record_id,
        mandate_id as related_id,
        occurred_at,
        cast(null as bigint) as expected,
        cast(null as bigint) as actual,
        cast(payment_count as varchar)
        || ' done payments in '
        || month
        || ', where the mandate allows '
        || cast(monthly_count as varchar)
        || ' a month.' as detail,
    from months
    where payment_count > monthly_count

)

select * from final
