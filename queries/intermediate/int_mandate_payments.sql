-- One row a debit payment, with the terms of its mandate and the month in which
-- it used it. Amounts in rials.
-- streamed: each reader takes a few columns of very many rows.

with

uses as (

    select * from int_mandate_uses

),

settings as (

    select * from stg_settings

),

dates as (

    select * from stg_dates

),

dated as (

    select
        uses.*,
        cast(
            uses.used_at at time zone settings.timezone as date
        ) as business_date,
    from uses
    cross join settings

),

final as (

    select
        dated.payment_id,
        dated.payment_method,
        dated.amount_rial,
        dated.is_done,
        dated.mandate_id,
        dated.used_at,
        dated.business_date,
        dates.month,
        dated.is_mandate_known,
        dated.mandate_payment_method,
        dated.monthly_count,
        dated.limit_rial,
        dated.expires_at,
        dated.revoked_at,
    from dated
    left join dates
        on dated.business_date = dates.business_date

)

select * from final
