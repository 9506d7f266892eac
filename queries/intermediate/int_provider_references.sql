-- One row a number by which an order may name an open record of the provider.

with

records as (

    select * from int_book_open_records

),

final as (

    select
        product,
        record_id,
        reference,
        sent_amount_rial,
        is_paid,
        is_refunded,
        occurred_at,
    from records
    where
        record_id is not null
        and reference is not null
    union all
    select
        product,
        record_id,
        other_reference as reference,
        sent_amount_rial,
        is_paid,
        is_refunded,
        occurred_at,
    from records
    where
        record_id is not null
        and other_reference is not null
        and other_reference is distinct from reference

)

select * from final
