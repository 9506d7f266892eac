-- One row an order of the books and a record it is matched with. Amounts in
-- rials; `difference` is the order's less the record's. `method` is
-- `reference`; for what no reference links, `amount_time`, `split` (an order of
-- several records) or `bundle` (a record of several orders). `confidence` is
-- `certain` (by reference), `likely` (the only one that fits) or `ambiguous`:
-- then every candidate has its row. A row of a split or bundle has the part of
-- the amount that the two share. `occurred_at` is the order's, by which a period reads
-- no others.

with

matches as (

    select * from int_book_matches

),

wide_matches as (

    select * from int_book_wide_matches

),

settings as (

    select * from stg_settings

),

every_match as (

    select
        reference,
        product,
        record_id,
        method,
        confidence,
        book_amount_rial,
        record_amount_rial,
        difference_rial,
        book_occurred_at,
    from matches
    union all
    -- two sets that both fit may share a member
    select distinct
        reference,
        product,
        record_id,
        method,
        confidence,
        book_amount_rial,
        record_amount_rial,
        difference_rial,
        book_occurred_at,
    from wide_matches

),

final as (

    select
        every_match.reference,
        every_match.product,
        every_match.record_id,
        every_match.method,
        every_match.confidence,
        every_match.book_amount_rial as book_amount,
        every_match.record_amount_rial as record_amount,
        every_match.difference_rial as difference,
        cast(
            every_match.book_occurred_at at time zone settings.timezone as date
        ) as business_date,
        every_match.book_occurred_at as occurred_at,
    from every_match
    cross join settings

)

select * from final
