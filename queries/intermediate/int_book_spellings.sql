-- One row a number of an open record of the provider that no order has as it is
-- spelled, where it is uneven, or an uneven reference is the same number when both
-- are bare, as in int_book_odd_references. `reference` is how the books spell it: an
-- order's that no record has as it is spelled, where these two are the only ones that
-- differ by the signs around them, or else by the script of their digits or of their
-- yeh and kaf, of which sheets and keyboards write the Arabic or the Persian one. It is
-- null where none is, or several are: two orders may differ by their script.
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
        regexp_replace(
            spelling,
            '^[\p{Z}\p{Cc}\p{Cf}'']+|[\p{Z}\p{Cc}\p{Cf}]+$',
            '',
            'g'
        ) as signless,
    from spelled
    where
        bit_length(spelling) <> 8 * length(spelling)
        or spelling < '!'
        or spelling like '''%'
        or right(spelling, 1) < '!'

),

bared as (

    select
        *,
        translate(
            signless,
            '۰۱۲۳۴۵۶۷۸۹٠١٢٣٤٥٦٧٨٩يىك',
            '01234567890123456789ییک'
        ) as bare_number,
    from uneven

),

bare_numbers as (

    select distinct bare_number
    from bared
    where
        bare_number <> ''
        and bare_number <> spelling

),

spellings as (

    select
        spelled.spelling,
        spelled.record,
        spelled.spelling as signless,
        spelled.spelling as bare_number,
    from spelled
    semi join bare_numbers
        on spelled.spelling = bare_numbers.bare_number
    union all
    select
        bared.spelling,
        bared.record,
        bared.signless,
        bared.bare_number,
    from bared
    semi join bare_numbers
        on bared.bare_number = bare_numbers.bare_number
    where bared.spelling <> bared.bare_number

),

-- what both have in the same letters is nothing else
lonely as (

    select
        spelling,
        signless,
        bare_number,
        min(record) as first_record,
        max(record) as last_record,
        case when count(record) > 0 then 1 else 0 end as is_of_record,
    from spellings
    group by spelling, signless, bare_number
    having count(record) in (0, count(*))

),

-- one record may have both its numbers of a group
without_signs as (

    select
        *,
        case
            when
                sum(1 - is_of_record) over same_letters = 1
                and (
                    sum(is_of_record) over same_letters = 1
                    or min(first_record) over same_letters
                    = max(last_record) over same_letters
                )
                then signless
        end as met_by_signs,
    from lonely
    window same_letters as (partition by bare_number, signless)

),

-- those that differ by signs alone have each other; the others, by digits
in_plain_digits as (

    select
        *,
        sum(1 - is_of_record) over same_number = 1
        and (
            sum(is_of_record) over same_number = 1
            or min(first_record) over same_number
            = max(last_record) over same_number
        ) as is_met,
        max(case when is_of_record = 0 then spelling end)
            over same_number as reference,
    from without_signs
    window same_number as (partition by bare_number, met_by_signs)

),

final as (

    select
        spelling as number,
        case when is_met then reference end as reference,
    from in_plain_digits
    where is_of_record = 1

)

select * from final
