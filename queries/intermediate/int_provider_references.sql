-- One row a number by which an order may name a record of the provider.

with

records as (

    select * from int_provider_records

),

numbers as (

    select
        product,
        record_id,
        reference,
    from records
    where reference is not null
    union all
    select
        product,
        record_id,
        other_reference as reference,
    from records
    where
        other_reference is not null
        and other_reference is distinct from reference

),

final as (

    select
        numbers.product,
        numbers.record_id,
        numbers.reference,
        records.sent_amount_rial,
        records.is_paid,
        records.is_refunded,
        records.occurred_at,
    from numbers
    inner join records
        on
            numbers.product = records.product
            and numbers.record_id = records.record_id

)

select * from final
