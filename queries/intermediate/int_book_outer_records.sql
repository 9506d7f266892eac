-- One row a paid record of the provider on a business date before the first or after
-- the last one of the books, or of any date where no order has a time. Amounts in
-- rials. `first_reference` is the number by which plain orders have their records;
-- from `first_date` to `last_date` the books reach.
-- kept: orders are sought for it, and it is told.

with

records as (

    select * from int_provider_records

),

book_ends as (

    select * from int_book_ends

),

settings as (

    select * from stg_settings

),

-- a date that the books cover may have records outside of its orders' times
outside as (

    select
        records.product,
        records.record_id,
        coalesce(records.reference, records.other_reference) as first_reference,
        records.sent_amount_rial,
        records.occurred_at,
        cast(records.occurred_at at time zone settings.timezone as date)
            as business_date,
        cast(book_ends.first_at at time zone settings.timezone as date)
            as first_date,
        cast(book_ends.last_at at time zone settings.timezone as date)
            as last_date,
    from records
    cross join book_ends
    cross join settings
    where
        records.is_paid
        and records.occurred_at is not null
        and book_ends.order_count > 0
        and (
            book_ends.first_at is null
            or records.occurred_at < book_ends.first_at
            or records.occurred_at > book_ends.last_at
        )

),

final as (

    select
        product,
        record_id,
        first_reference,
        sent_amount_rial,
        occurred_at,
        first_date,
        last_date,
    from outside
    where
        first_date is null
        or business_date < first_date
        or business_date > last_date

)

select * from final
