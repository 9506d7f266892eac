-- One row a record of the provider that an order may stand for. Amounts in
-- rials. `sent_amount_rial` is what the business asked for. A checkout is paid
-- by its status. `checkout_number` is a checkout's own, as received. `updated_at` is
-- when anything of it last changed, or when it began, where no more is known.
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
        -- few may have a space of any kind at an end, and many are compared
        case
            when
                bit_length(checkout_number) <> 8 * length(checkout_number)
                or checkout_number < '!'
                or checkout_number like '''%'
                or right(checkout_number, 1) < '!'
                then nullif(trim(checkout_number), '')
            else checkout_number
        end as reference,
        case
            when
                bit_length(request_id) <> 8 * length(request_id)
                or request_id < '!'
                or request_id like '''%'
                or right(request_id, 1) < '!'
                then nullif(trim(request_id), '')
            else request_id
        end as other_reference,
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
