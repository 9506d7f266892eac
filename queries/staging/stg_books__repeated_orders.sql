-- One row a key of the books that may stand in several files, or twice in one.

with

versions as (

    select * from raw_books

),

final as (

    select
        product,
        reference,
    from versions
    group by product, reference
    having count(*) > 1

)

select * from final
