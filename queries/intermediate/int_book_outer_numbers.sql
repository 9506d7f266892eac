-- One row a record of int_book_outer_records that has a number: a hash of its first.
-- kept: of very many the numbers would be held whole, and the planner has to know how
-- many they are.

with

records as (

    select * from int_book_outer_records

),

final as (

    select hash(first_reference) as reference_hash
    from records
    where first_reference is not null

)

select * from final
