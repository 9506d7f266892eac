-- One row an order and the record that it is matched with. Amounts in rials;
-- `difference_rial` is the order's amount less the record's. What is not open
-- is one order and one record, which agree.

with

plain_orders as (

    select * from int_book_plain_orders

),

records as (

    select * from int_provider_records

),

open_matches as (

    select * from int_book_open_matches

),

plain_matches as (

    select
        coalesce(plain_orders.product, '')
        || ':'
        || plain_orders.reference as order_id,
        plain_orders.reference,
        coalesce(plain_orders.product || ':', '') || plain_orders.reference
            as named_reference,
        plain_orders.product as book_product,
        plain_orders.status as book_status,
        plain_orders.occurred_at as book_occurred_at,
        records.product,
        records.record_id,
        'reference' as method,
        'certain' as confidence,
        plain_orders.amount_rial as book_amount_rial,
        records.sent_amount_rial as record_amount_rial,
        plain_orders.amount_rial - records.sent_amount_rial as difference_rial,
        records.is_paid,
        records.is_refunded,
    from plain_orders
    inner join records
        on
            plain_orders.reference
            = coalesce(records.reference, records.other_reference)
            and records.record_id is not null

),

final as (

    select * from plain_matches
    union all
    select * from open_matches

)

select * from final
