-- One row an order that several records paid, where no check of duplicates can
-- speak of them: at most one each of hosted and escrow, and of unified one by
-- its number and one by its request_id. Amounts in rials; `received_rial` is
-- what was sent for those that were not refunded, or for all where every one
-- was, and unknown where an amount of these is.

with

links as (

    select * from int_book_links

),

paid as (

    select
        *,
        not is_refunded
        or max(case when is_refunded then 0 else 1 end)
            over (partition by order_id)
        = 0 as is_counted,
    from links
    where
        is_paid
        and not is_repeated
        and not is_anothers

),

final as (

    select
        order_id,
        min(reference) as reference,
        min(named_reference) as named_reference,
        min(book_amount_rial) as book_amount_rial,
        min(book_status) as book_status,
        min(book_occurred_at) as book_occurred_at,
        count(*) as record_count,
        count(*) filter (where is_counted) as counted_count,
        array_to_string(list_sort(list(record_id)), ' ') as record_ids,
        case
            when
                count(*) filter (where is_counted and record_amount_rial is null)
                = 0
                then
                    cast(
                        sum(record_amount_rial) filter (where is_counted)
                        as bigint
                    )
        end as received_rial,
    from paid
    group by order_id
    having
        count(*) > 1
        and count(*) filter (where product = 'unified' and is_request) <= 1
        and count(*) filter (where product = 'unified' and not is_request) <= 1
        and count(*) filter (where product = 'hosted') <= 1
        and count(*) filter (where product = 'escrow') <= 1

)

select * from final
