-- One row a reference whose orders and records are looked at one by one: the
-- odd ones, and every number of the records that have an odd one. So all that
-- could claim one of these records is among them.

with

odd as (

    select * from int_book_odd_references

),

records as (

    select * from int_book_open_records

),

final as (

    select reference from odd
    union
    select reference from records
    where reference is not null
    union
    select other_reference as reference from records
    where other_reference is not null

)

select * from final
