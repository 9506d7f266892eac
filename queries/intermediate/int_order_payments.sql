-- One row a record of the provider that was paid and not refunded, and the order that
-- it was paid for; of one that no order has, the number. Amounts in rials. What
-- came in for a checkout is the sum of its done payments. Left out: what one order and
-- one record have alike, where that was paid once; and orders that stand twice in the
-- books, of which nothing can be told.

with

open_records as (

    select * from int_book_open_records

),

links as (

    select * from int_book_links

),

uneven as (

    select * from int_checkout_payments

),

charged_again as (

    select checkout_id from int_checkout_payments
    where done_count > 1

),

every_record as (

    select * from int_provider_records
    where product = 'unified'

),

plain_orders as (

    select * from int_book_plain_orders

),

-- what the books plainly have, or need not have, may have been charged twice all the
-- same
plain_records as (

    select every_record.*
    from every_record
    semi join charged_again
        on every_record.record_id = charged_again.checkout_id
    anti join open_records
        on
            every_record.product = open_records.product
            and every_record.record_id = open_records.record_id

),

records as (

    select
        product,
        record_id,
        coalesce(reference, other_reference) as reference,
        sent_amount_rial,
        is_paid,
        is_refunded,
        occurred_at,
    from open_records
    where record_id is not null
    union all
    select
        product,
        record_id,
        coalesce(reference, other_reference) as reference,
        sent_amount_rial,
        is_paid,
        is_refunded,
        occurred_at,
    from plain_records

),

received as (

    select
        records.product,
        records.record_id,
        records.reference,
        records.sent_amount_rial,
        records.occurred_at,
        case
            when uneven.checkout_id is not null then uneven.done_count
            when records.is_paid then 1
            else 0
        end as payment_count,
        case
            when uneven.checkout_id is not null then uneven.done_amount_rial
            else records.sent_amount_rial
        end as received_rial,
    from records
    left join uneven
        on
            records.product = 'unified'
            and records.record_id = uneven.checkout_id
    where not records.is_refunded

),

paid as (

    select * from received
    where payment_count > 0

),

claims as (

    select
        order_id,
        reference,
        book_amount_rial,
        product,
        record_id,
        is_repeated,
        is_anothers,
    from links
    union all
    select
        coalesce(plain_orders.product, '') || ':' || plain_orders.reference
            as order_id,
        plain_orders.reference,
        plain_orders.amount_rial as book_amount_rial,
        plain_records.product,
        plain_records.record_id,
        false as is_repeated,
        false as is_anothers,
    from plain_orders
    inner join plain_records
        on
            plain_orders.reference
            = coalesce(plain_records.reference, plain_records.other_reference)

),

final as (

    select
        'order:' || claims.order_id as order_id,
        claims.reference,
        claims.book_amount_rial,
        paid.product,
        paid.record_id,
        paid.sent_amount_rial,
        paid.payment_count,
        paid.received_rial,
        paid.occurred_at,
    from paid
    inner join claims
        on
            paid.product = claims.product
            and paid.record_id = claims.record_id
    where not claims.is_repeated and not claims.is_anothers
    union all
    select
        'number:' || paid.product || ':' || paid.reference as order_id,
        paid.reference,
        cast(null as bigint) as book_amount_rial,
        paid.product,
        paid.record_id,
        paid.sent_amount_rial,
        paid.payment_count,
        paid.received_rial,
        paid.occurred_at,
    from paid
    anti join claims
        on
            paid.product = claims.product
            and paid.record_id = claims.record_id
    where paid.reference is not null

)

select * from final
