-- finds: a paid record whose number the books lack, or which has no number, on
--   a business date that the books cover. Nothing is said, for 35 days, of one
--   that is later than the import of what the books have of their last days,
--   nor, for two days, of one that changed after it.
-- why: money came in for no order; it is nobody's sale until the books know it.
-- do: find the customer of the record, and enter the order or pay back.
-- severity: error
-- product: books
-- record: checkout id, gateway token, hosted id, tracking_code
-- source: document 3, Resources and their fields, Checkout; document 2, B and
--   C; document 1, Agreement (trace_id).
-- false alarm: the books were exported without a product or a kind of order.

with

links as (

    select * from int_book_links

),

records as (

    select * from int_book_open_records

),

hints as (

    select * from int_book_hints

),

settings as (

    select * from stg_settings

),

orders as (

    select * from stg_books__orders

),

last_orders as (

    select * from stg_books__orders

),

ends as (

    select * from int_book_ends

),

exports as (

    select * from int_book_exports

),

-- a day of the business's clock is never two days from its instant; each end is
-- read by itself, so that of files in order of time little is read
outermost as (

    select orders.occurred_at
    from orders
    inner join ends
        on
            orders.occurred_at <= ends.last_at
            and orders.occurred_at <= ends.first_at + interval 48 hours
    union all
    select last_orders.occurred_at
    from last_orders
    inner join ends
        on
            last_orders.occurred_at <= ends.last_at
            and last_orders.occurred_at >= ends.last_at - interval 48 hours

),

dates as (

    select
        cast(
            outermost.occurred_at at time zone settings.timezone as date
        ) as business_date,
    from outermost
    cross join settings

),

coverage as (

    select
        min(business_date) as first_date,
        max(business_date) as last_date,
    from dates

),

-- a record without a time, or of the future, is not excused: it may lie on any
-- date
missing as (

    select
        records.*,
        hints.hint,
    from records
    cross join coverage
    cross join exports
    cross join settings
    left join hints
        on
            'record:' || records.product || ':' || records.record_id
            = hints.item_id
    anti join links
        on
            records.product = links.product
            and records.record_id = links.record_id
    where
        records.is_paid
        and coverage.first_date is not null
        and coalesce(
            records.business_date
            between coverage.first_date and coverage.last_date
            or records.occurred_at > settings.as_of + interval 1 day,
            true
        )
        and coalesce(
            records.occurred_at <= exports.exported_at
            or records.occurred_at <= settings.as_of - interval 35 day
            or records.occurred_at > settings.as_of + interval 1 day,
            true
        )
        and coalesce(
            records.updated_at <= exports.exported_at
            or records.updated_at <= settings.as_of - interval 48 hours
            or records.updated_at > settings.as_of + interval 1 day,
            true
        )

),

-- an id of two products is two records, and two breaks
final as (

    select
        case
            when
                count(*) over (partition by record_id) > 1
                then product || ':' || record_id
            else record_id
        end as record_id,
        coalesce(reference, other_reference) as related_id,
        occurred_at,
        cast(null as bigint) as expected,
        sent_amount_rial as actual,
        'The paid record of '
        || product
        || ' over {'
        || coalesce(cast(sent_amount_rial as varchar), 'an unknown amount')
        || case
            when reference is null and other_reference is null
                then '} has no number.'
            else '} has a number that the books lack.'
        end
        || coalesce(' ' || hint, '') as detail,
    from missing

)

select * from final
