-- One row a number of an open record of the provider that no order has as it is
-- spelled, where it is uneven, or an uneven reference is the same number when both
-- are bare, as in int_book_odd_references. `reference` is how the books spell it: an
-- order's that no record has as it is spelled, where these two are the only ones of
-- the bare number. Else it is null: two orders may differ by their digits' script.
-- kept: of very many open orders and records it names few.

with

orders as (

    select * from int_book_open_orders

),

records as (

    select * from int_book_open_records

),

spelled as (

    select
        reference as spelling,
        cast(null as varchar) as record,
    from orders
    union all
    select
        reference as spelling,
        product || ':' || record_id as record,
    from records
    where record_id is not null
    union all
    select
        other_reference as spelling,
        product || ':' || record_id as record,
    from records
    where record_id is not null

),

uneven as (

    select
        spelling,
        record,
        translate(
            regexp_replace(
                spelling,
                '^[\p{Z}\p{Cc}\p{Cf}'']+|[\p{Z}\p{Cc}\p{Cf}]+$',
                '',
                'g'
            ),
            '۰۱۲۳۴۵۶۷۸۹٠١٢٣٤٥٦٧٨٩',
            '01234567890123456789'
        ) as bare_number,
    from spelled
    where
        bit_length(spelling) <> 8 * length(spelling)
        or spelling < '!'
        or spelling like '''%'
        or right(spelling, 1) < '!'

),

bare_numbers as (

    select distinct bare_number
    from uneven
    where
        bare_number <> ''
        and bare_number <> spelling

),

spellings as (

    select
        spelled.spelling,
        spelled.record,
        spelled.spelling as bare_number,
    from spelled
    semi join bare_numbers
        on spelled.spelling = bare_numbers.bare_number
    union all
    select
        uneven.spelling,
        uneven.record,
        uneven.bare_number,
    from uneven
    semi join bare_numbers
        on uneven.bare_number = bare_numbers.bare_number
    where uneven.spelling <> uneven.bare_number

),

-- whoever has a number as another has it needs none that is spelled otherwise
lonely as (

    select
        bare_number,
        spelling,
        min(record) as first_record,
        max(record) as last_record,
        count(record) > 0 as is_of_record,
    from spellings
    group by bare_number, spelling
    having count(record) in (0, count(*))

),

references_left as (

    select
        bare_number,
        min(spelling) as reference,
    from lonely
    where not is_of_record
    group by bare_number
    having count(*) = 1

),

-- one record may have both its numbers of it
numbers_left as (

    select
        bare_number,
        spelling,
        count(*) over same_number = 1
        or min(first_record) over same_number
        = max(last_record) over same_number as is_alone,
    from lonely
    where is_of_record
    window same_number as (partition by bare_number)

),

final as (

    select
        numbers_left.spelling as number,
        case
            when numbers_left.is_alone then references_left.reference
        end as reference,
    from numbers_left
    left join references_left
        on numbers_left.bare_number = references_left.bare_number

)

select * from final
