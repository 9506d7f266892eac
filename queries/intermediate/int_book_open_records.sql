-- One row a record of the provider that the books do not plainly have: one of its
-- numbers is odd, or akin to one, or it has none. Amounts in rials. Its numbers are
-- without any kind of space at their ends: a first one that has some is odd, and a
-- second one is looked up bare, as in int_book_odd_references.

with

records as (

    select * from int_provider_records

),

odd as (

    select * from int_book_odd_references

),

akin as (

    select * from int_book_akin_references

),

settings as (

    select * from stg_settings

),

bared as (

    select
        *,
        case
            when
                bit_length(other_reference) <> 8 * length(other_reference)
                or other_reference < '!'
                or other_reference like '''%'
                or right(other_reference, 1) < '!'
                then
                    translate(
                        regexp_replace(
                            other_reference,
                            '^[\p{Z}\p{Cc}\p{Cf}'']+|[\p{Z}\p{Cc}\p{Cf}]+$',
                            '',
                            'g'
                        ),
                        '۰۱۲۳۴۵۶۷۸۹٠١٢٣٤٥٦٧٨٩يىك',
                        '01234567890123456789ییک'
                    )
            else other_reference
        end as bare_other_reference,
    from records

),

looked_up as (

    select bared.*
    from bared
    left join odd
        on bared.reference = odd.reference
    left join odd as other_odd
        on bared.bare_other_reference = other_odd.reference
    left join akin
        on
            coalesce(bared.reference, bared.other_reference)
            = akin.first_reference
    where
        odd.reference is not null
        or other_odd.reference is not null
        or akin.first_reference is not null
        or coalesce(bared.reference, bared.other_reference) is null
        or bared.record_id is null

),

final as (

    select
        looked_up.product,
        looked_up.record_id,
        nullif(trim(looked_up.reference), '') as reference,
        nullif(trim(looked_up.other_reference), '') as other_reference,
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
