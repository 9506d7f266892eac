-- finds: one reference twice in one file of the books, or with a product and
--   without one, in whatever files.
-- why: one order may be counted twice as a sale; which of its lines is true
--   cannot be told, so nothing else is said of it. A line without a product is
--   another key, and does not replace one with it.
-- do: correct the export, and import it again: its newest file replaces the
--   rows. Where an earlier file had no products, take it back:
--   recon import books FILE --void.
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
        || case
            when is_named_too then ' lines, with a product and without one.'
            else ' lines of one file.'
        end as detail,
    from repeated

)

select * from final
