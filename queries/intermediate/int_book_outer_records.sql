-- One row a paid record of the provider on a business date before the first or after
-- the last one of the books, or of any date where no order has a time; and for 35 days
-- one of a date that they cover that came after what they have of their last days was
-- imported: an order may be dated after its import. Amounts in rials. `first_reference`
-- is the number by which plain orders have their records; from `first_date` to
-- `last_date` the books reach.
-- streamed: where the books end early, they are very many.

with

records as (

    select * from int_provider_records

),

book_ends as (

    select * from int_book_ends

),

book_exports as (

    select * from int_book_exports

),

settings as (

    select * from stg_settings

),

reach as (

    select
        book_ends.*,
        cast(book_ends.first_at at time zone settings.timezone as date)
            as first_date,
        cast(book_ends.last_at at time zone settings.timezone as date)
            as last_date,
        book_exports.exported_at,
        settings.as_of - interval 35 day as excused_from_at,
        settings.timezone,
    from book_ends
    cross join book_exports
    cross join settings
    where book_ends.order_count > 0

),

-- a date that the books cover may have records outside of its orders' times; which
-- date it is, is asked within two days of these only
final as (

    select
        records.product,
        records.record_id,
        coalesce(records.reference, records.other_reference) as first_reference,
        records.sent_amount_rial,
        records.occurred_at,
        reach.first_date,
        reach.last_date,
    from records
    cross join reach
    where
        records.is_paid
        and records.occurred_at is not null
        and (
            reach.first_at is null
            or records.occurred_at < reach.first_at
            or records.occurred_at > reach.last_at
            or records.occurred_at > reach.exported_at
        )
        and case
            when reach.first_at is null then true
            when
                records.occurred_at < reach.near_from_at
                or records.occurred_at > reach.near_until_at
                then true
            when
                records.occurred_at > reach.exported_at
                and records.occurred_at > reach.excused_from_at
                then true
            else
                cast(records.occurred_at at time zone reach.timezone as date)
                not between reach.first_date and reach.last_date
        end

)

select * from final
