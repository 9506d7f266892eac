-- One row a record of the provider that an order may stand for. Amounts in
-- rials. `sent_amount_rial` is what the business asked for. A checkout is paid
-- by its status. A checkout's numbers are as received, also with spaces around them:
-- to trim so many costs more than to compare them, and those are odd anyway.
-- `checkout_number` is its own alone. `updated_at` is when anything of it last
-- changed, or when it began, where no more is known.
-- streamed: each reader takes a few columns of very many rows.

with

checkouts as (

    select * from stg_unified__checkouts

),

other_records as (

    select * from int_other_product_records

),

final as (

    select
        'unified' as product,
        checkout_id as record_id,
        nullif(checkout_number, '') as reference,
        nullif(request_id, '') as other_reference,
        amount_rial as sent_amount_rial,
        coalesce(status = 'paid', false) as is_paid,
        false as is_refunded,
        coalesce(created_at, updated_at) as occurred_at,
        checkout_number,
        coalesce(updated_at, created_at) as updated_at,
    from checkouts
    union all
    select
        product,
        record_id,
        reference,
        cast(null as varchar) as other_reference,
        sent_amount_rial,
        is_paid,
        is_refunded,
        occurred_at,
        cast(null as varchar) as checkout_number,
        updated_at,
    from other_records

)

select * from final
