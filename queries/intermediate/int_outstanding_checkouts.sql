-- One row a checkout that a later run has to read again, even if no later row
-- speaks of it: a break names it or something of it, it is not plain, it may
-- break a rule by time alone, its money may explain an interval, or a number or
-- receipt of it has a space at an end, by which later rows would not find it, or a
-- number of it may be spelled otherwise in the books. All others are cleared.

with

-- each branch reads few columns of them: whole and held, they would not fit
payments as not materialized (

    select * from stg_unified__met_payments

),

checkouts as not materialized (

    select * from stg_unified__checkouts

),

orders as not materialized (

    select
        trim(reference) as reference,
        occurred_at,
    from stg_books__orders

),

break_names as (

    select * from raw_break_names

),

spans as (

    select * from raw_open_spans

),

open_records as not materialized (

    select * from int_book_open_records
    where product = 'unified'

),

far_records as (

    select * from int_book_far_records
    where product = 'unified'

),

spellings as (

    select * from int_book_spellings

),

books as (

    select * from int_book_ends

),

-- the first and the last orders say which days the books cover
outer_orders as (

    select orders.reference
    from orders
    inner join books
        on
            orders.occurred_at <= books.first_at + interval 48 hours
            or orders.occurred_at >= books.last_at - interval 48 hours

),

outstanding as (

    select checkout_id from stg_unified__uneven_checkouts
    union all
    select checkout_id from int_unsound_payments
    union all
    select checkout_id from int_touched_checkouts
    union all
    -- by a name with a space at an end nothing below would find it
    select checkout_id from checkouts
    where trim(checkout_number) <> checkout_number
    union all
    -- of one that an order has, or that needs none, the second number is not looked at
    select checkout_id from checkouts
    where
        bit_length(request_id) <> 8 * length(request_id)
        or request_id < '!'
        or request_id like '''%'
        or right(request_id, 1) < '!'
    union all
    select checkout_id from payments
    where trim(ref_id) <> ref_id
    union all
    select payments.checkout_id
    from payments
    semi join break_names
        on payments.payment_id = break_names.name
    union all
    select payments.checkout_id
    from payments
    semi join break_names
        on payments.ref_id = break_names.name
    union all
    select payments.checkout_id
    from payments
    semi join break_names
        on payments.mandate_id = break_names.name
    union all
    select payments.checkout_id
    from payments
    inner join spans
        on
            payments.paid_at >= spans.from_at
            and payments.paid_at <= spans.until_at
    union all
    select payments.checkout_id
    from payments
    inner join spans
        on
            payments.created_at >= spans.from_at
            and payments.created_at <= spans.until_at
    union all
    select checkouts.checkout_id
    from checkouts
    semi join break_names
        on checkouts.checkout_id = break_names.name
    union all
    select checkouts.checkout_id
    from checkouts
    semi join break_names
        on checkouts.request_id = break_names.name
    union all
    select checkouts.checkout_id
    from checkouts
    semi join break_names
        on checkouts.checkout_number = break_names.name
    union all
    select checkouts.checkout_id
    from checkouts
    semi join outer_orders
        on checkouts.checkout_number = outer_orders.reference
    union all
    select checkouts.checkout_id
    from checkouts
    semi join outer_orders
        on checkouts.request_id = outer_orders.reference
    union all
    select open_records.record_id as checkout_id
    from open_records
    semi join orders
        on open_records.reference = orders.reference
    union all
    select open_records.record_id as checkout_id
    from open_records
    semi join orders
        on open_records.other_reference = orders.reference
    union all
    select open_records.record_id as checkout_id
    from open_records
    semi join spellings
        on open_records.reference = spellings.number
    union all
    select open_records.record_id as checkout_id
    from open_records
    semi join spellings
        on open_records.other_reference = spellings.number
    union all
    select open_records.record_id as checkout_id
    from open_records
    cross join books
    where
        open_records.is_paid
        and books.order_count > 0
    union all
    select record_id as checkout_id from far_records

),

final as (

    select distinct checkout_id
    from outstanding
    where checkout_id is not null

)

select * from final
