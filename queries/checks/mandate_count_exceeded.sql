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

every_payment as (

    select * from stg_unified__payments

),

mandates as (

    select * from stg_unified__mandates

),

uses as (

    select
        mandate_id,
        count(*) as use_count,
    from every_payment
    where
        status = 'done'
        and mandate_id <> ''
        and (type is null or type = 'debit')
    group by mandate_id

),

-- more in all than in one month are allowed: only these can be above it
busy as (

    select uses.mandate_id
    from uses
    inner join mandates
        on uses.mandate_id = mandates.mandate_id
    where uses.use_count > mandates.monthly_count

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
