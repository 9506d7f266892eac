-- One row an order of an open reference and the record that it is matched with.
-- Amounts in rials;
-- `difference_rial` is the order's amount less the record's. Of several records
-- with one reference the paid one counts; where none is paid, one of the
-- order's amount, then the newest. A reference that stands twice in the books
-- or on two paid records is matched but ambiguous: all its candidates are
-- shown. So is one that is no more than another number of records that orders of
-- their own have; beside a record of its own none of these counts.

with

links as (

    select * from int_book_links

),

candidates as (

    select *
    from links
    qualify
        not is_anothers
        or min(case when is_anothers then 1 else 0 end)
            over (partition by order_id)
        = 1

),

counted as (

    select
        *,
        sum(case when is_paid then 1 else 0 end)
            over (partition by order_id) as paid_count,
    from candidates

),

ranked as (

    select
        *,
        is_repeated or is_anothers or paid_count > 1 as is_ambiguous,
        row_number() over (
            partition by order_id
            order by
                is_paid desc,
                case
                    when record_amount_rial = book_amount_rial then 0 else 1
                end,
                occurred_at desc nulls last,
                product,
                record_id
        ) as choice,
    from counted

),

final as (

    select
        order_id,
        reference,
        named_reference,
        book_product,
        book_status,
        book_occurred_at,
        product,
        record_id,
        'reference' as method,
        case when is_ambiguous then 'ambiguous' else 'certain' end
            as confidence,
        book_amount_rial,
        record_amount_rial,
        book_amount_rial - record_amount_rial as difference_rial,
        is_paid,
        is_refunded,
    from ranked
    where
        choice = 1
        or (is_ambiguous and (is_paid or paid_count = 0))

)

select * from final
