-- finds: an order whose amount is not the amount that was sent for its record,
--   or where one of the two is missing.
-- why: the books and the provider speak of different prices for one order; a
--   factor of ten is rials against toman.
-- do: see which of the two the customer agreed to, and correct the other.
-- severity: critical
-- product: books
-- record: reference
-- source: document 3, Create checkout (amount); document 2, B, step 1 and C,
--   Get token (amount); document 1, Agreement (amount).

with

matches as (

    select * from int_book_open_matches

),

settings as (

    select * from stg_settings

),

different as (

    select matches.*
    from matches
    cross join settings
    where
        matches.confidence = 'certain'
        and coalesce(
            abs(matches.difference_rial) > settings.tolerance_rial, true
        )

),

-- one reference of two products is two orders, and two breaks
final as (

    select
        case
            when count(*) over (partition by reference) > 1 then named_reference
            else reference
        end as record_id,
        record_id as related_id,
        book_occurred_at as occurred_at,
        record_amount_rial as expected,
        book_amount_rial as actual,
        'The books have {'
        || coalesce(cast(book_amount_rial as varchar), 'an unknown amount')
        || '}, '
        || product
        || ' was sent {'
        || coalesce(cast(record_amount_rial as varchar), 'an unknown amount')
        || '}.' as detail,
    from different

)

select * from final
