-- One row a number of letters that a reference of the books has.
-- kept: they are few, which the planner cannot know before they are counted.

with

orders as (

    select * from raw_books_standing

),

final as (

    select distinct length(reference) as letter_count
    from orders
    where reference is not null

)

select * from final
