-- One row a key of the books that may stand in several files, or twice in one of
-- those that no compaction covers.

with

compacted as (

    select * from raw_books_compacted

),

later as (

    select * from raw_books_later

),

every_later as (

    select * from raw_books_later

),

several as (

    select
        product,
        reference,
    from later
    group by product, reference
    having count(*) > 1

),

again as (

    select
        compacted.product,
        compacted.reference,
    from compacted
    semi join every_later
        on
            compacted.product is not distinct from every_later.product
            and compacted.reference is not distinct from every_later.reference

),

final as (

    select * from several
    union distinct
    select * from again

)

select * from final
