-- finds: more done payments of a mandate in a month than its count allows.
-- why: the customer allowed that many withdrawals a month and no more.
-- do: pay the further payments back (related_id names them), or have the
--   customer grant a higher count.
-- severity: critical
-- product: unified
-- record: mandate id:YYYY-MM
-- source: document 3, Limits, 1.
-- false alarm: the provider counts by another calendar than business.calendar
--   (Unknown: the contract says only "per month").

with

payments as (

    select * from stg_unified__payments

),

mandates as (

    select * from stg_unified__mandates

),

busy as (

    select * from int_busy_mandates

),

settings as (

    select * from stg_settings

),

dates as (

    select * from stg_dates

),

-- few or none are left here, before anything is joined to them
uses as (

    select
        payments.payment_id,
        payments.mandate_id,
        coalesce(payments.paid_at, payments.created_at) as used_at,
    from payments
    semi join busy
        on payments.mandate_id = busy.mandate_id
    where
        payments.is_debit
        and payments.status = 'done'

),

dated as (

    select
        uses.payment_id,
        uses.mandate_id,
        uses.used_at,
        cast(
            uses.used_at at time zone settings.timezone as date
        ) as business_date,
    from uses
    cross join settings

),

numbered as (

    select
        dated.payment_id,
        dated.mandate_id,
        dated.used_at,
        dates.month,
        mandates.monthly_count,
        row_number() over (
            partition by dated.mandate_id, dates.month
            order by dated.used_at, dated.payment_id
        ) as place,
    from dated
    inner join dates
        on dated.business_date = dates.business_date
    inner join mandates
        on dated.mandate_id = mandates.mandate_id

),

beyond as (

    select
        mandate_id,
        month,
        monthly_count,
        max(place) as payment_count,
        max(used_at) as occurred_at,
        array_to_string(list_sort(list(payment_id)), ' ') as payment_ids,
    from numbered
    where place > monthly_count
    group by mandate_id, month, monthly_count

),

final as (

    select
        mandate_id || ':' || month as record_id,
        mandate_id || ' ' || payment_ids as related_id,
        occurred_at,
        cast(null as bigint) as expected,
        cast(null as bigint) as actual,
        cast(payment_count as varchar)
        || ' done payments in '
        || month
        || ', where the mandate allows '
        || cast(monthly_count as varchar)
        || ' a month.' as detail,
    from beyond

)

select * from final
