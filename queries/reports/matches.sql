-- One row an order of the books and a record it is matched with. Amounts in rials;
-- `difference` is the order's less the record's. `confidence` is `certain` or, where
-- several records or orders fit, `ambiguous`: then every candidate has its row.

with

matches as (

    select * from int_book_matches

),

settings as (

    select * from stg_settings

),

final as (

    select
        matches.reference,
        matches.product,
        matches.record_id,
        matches.method,
        matches.confidence,
        matches.book_amount_rial as book_amount,
        matches.record_amount_rial as record_amount,
        matches.difference_rial as difference,
        cast(
            matches.book_occurred_at at time zone settings.timezone as date
        ) as business_date,
    from matches
    cross join settings

)

select * from final
