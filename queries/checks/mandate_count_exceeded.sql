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

uses as (

    select * from int_mandate_uses

),

-- more in all than in one month are allowed: only these can be above it
busy as (

    select mandate_id
    from uses
    where
        is_done
        and is_mandate_known
    group by mandate_id
    having count(*) > max(monthly_count)

),

months as (

    select
        payments.mandate_id,
        payments.month,
        max(payments.monthly_count) as monthly_count,
        count(*) as payment_count,
        max(payments.used_at) as occurred_at,
    from payments
    semi join busy
        on payments.mandate_id = busy.mandate_id
    where
        payments.is_done
        and payments.is_mandate_known
        and payments.month is not null
    group by payments.mandate_id, payments.month

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
