-- One row a number by which an order may name an open record of the provider: as
-- the books spell it, where they spell it otherwise. `is_request` tells the second
-- number of a checkout, its request_id, from all others.

with

records as (

    select * from int_book_open_records

),

spellings as (

    select * from int_book_spellings
    where reference is not null

),

named as (

    select
        records.product,
        records.record_id,
        coalesce(firsts.reference, records.reference) as reference,
        coalesce(others.reference, records.other_reference) as other_reference,
        records.sent_amount_rial,
        records.is_paid,
        records.is_refunded,
        records.occurred_at,
    from records
    left join spellings as firsts
        on records.reference = firsts.number
    left join spellings as others
        on records.other_reference = others.number
    where records.record_id is not null

),

final as (

    select
        product,
        record_id,
        reference,
        false as is_request,
        sent_amount_rial,
        is_paid,
        is_refunded,
        occurred_at,
    from named
    where reference is not null
    union all
    select
        product,
        record_id,
        other_reference as reference,
        true as is_request,
        sent_amount_rial,
        is_paid,
        is_refunded,
        occurred_at,
    from named
    where
        other_reference is not null
        and other_reference is distinct from reference

)

select * from final
