-- One row an order for which more than one payment came in, and more than it costs. In
-- rials. `business_date` is that of its last record.
-- kept: a night's reports and its summary ask for it, each by itself.

with

duplicates as (

    select * from int_duplicate_payments

),

settings as (

    select * from stg_settings

),

final as (

    select
        case
            when
                duplicates.last_at
                < cast('0001-01-02 00:00:00+00' as timestamptz)
                then cast('0001-01-01' as date)
            when
                duplicates.last_at
                < cast('9999-12-31 00:00:00+00' as timestamptz)
                then cast(
                    duplicates.last_at at time zone settings.timezone as date
                )
            when duplicates.last_at is not null
                then cast('9999-12-31' as date)
        end as business_date,
        duplicates.reference,
        duplicates.order_rial as order_amount,
        duplicates.received_rial as received,
        duplicates.excess_rial as excess,
        duplicates.payment_count as count,
        duplicates.records,
        duplicates.first_at,
        duplicates.last_at,
    from duplicates
    cross join settings

)

select * from final
