-- One row a record of the provider that the books do not plainly have: one of
-- its numbers is odd, or it has none. Amounts in rials. Its first number is
-- without any kind of space at its ends: one that has some is odd.

with

records as (

    select * from int_provider_records

),

odd as (

    select * from int_book_odd_references

),

settings as (

    select * from stg_settings

),

looked_up as (

    select records.*
    from records
    left join odd
        on records.reference = odd.reference
    left join odd as other_odd
        on records.other_reference = other_odd.reference
    where
        odd.reference is not null
        or other_odd.reference is not null
        or coalesce(records.reference, records.other_reference) is null
        or records.record_id is null

),

final as (

    select
        looked_up.product,
        looked_up.record_id,
        nullif(trim(looked_up.reference), '') as reference,
        looked_up.other_reference,
        looked_up.sent_amount_rial,
        looked_up.is_paid,
        looked_up.is_refunded,
        looked_up.occurred_at,
        cast(
            looked_up.occurred_at at time zone settings.timezone as date
        ) as business_date,
        looked_up.checkout_number,
        looked_up.updated_at,
    from looked_up
    cross join settings

)

select * from final
