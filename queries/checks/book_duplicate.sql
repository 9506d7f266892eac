-- finds: one reference twice in one file of the books.
-- why: one order may be counted twice as a sale; which of its lines is true
--   cannot be told, so nothing else is said of it.
-- do: correct the export, and import it again: its newest file replaces the
--   rows.
-- severity: warning
-- product: books
-- record: reference
-- source: the business's own books; no section of the contract.

with

orders as (

    select * from int_book_open_orders

),

repeated as (

    select * from orders
    where is_repeated

),

-- one reference of two products is two orders, and two breaks
final as (

    select
        case
            when count(*) over (partition by reference) > 1 then named_reference
            else reference
        end as record_id,
        product as related_id,
        occurred_at,
        cast(null as bigint) as expected,
        cast(null as bigint) as actual,
        'The reference stands in '
        || cast(line_count as varchar)
        || ' lines of one file.' as detail,
    from repeated

)

select * from final
