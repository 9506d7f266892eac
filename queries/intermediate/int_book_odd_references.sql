-- One row a reference, of an order or a record of the provider, that needs a
-- closer look: all but those that one order and one record have, which agree in
-- product, amount and status. A record is met here by the first of its two
-- numbers; a reference of an order that is the second number of any is odd too,
-- and so is one with a space at an end: it is listed as it is spelled in the
-- books, and without the space.

with

pairs as (

    select * from int_book_pairs

),

odd as (

    select reference
    from pairs
    group by reference
    having
        count(*) > 1
        or max(is_odd) = 1

),

-- any version may be looked at: what is odd needlessly comes to the same
every_order as (

    select reference from raw_books_standing

),

-- most second numbers are longer than any order's: these need no look-up
order_lengths as (

    select distinct length(reference) as letter_count
    from raw_books_standing

),

second_numbers as (

    select trim(checkouts.request_id) as reference
    from raw_checkouts_standing as checkouts
    left join order_lengths
        on length(checkouts.request_id) = order_lengths.letter_count
    where
        checkouts.checkout_number <> ''
        and checkouts.request_id <> checkouts.checkout_number
        and (
            order_lengths.letter_count is not null
            or checkouts.request_id like ' %'
            or checkouts.request_id like '% '
        )

),

named_otherwise as (

    select second_numbers.reference
    from second_numbers
    semi join every_order
        on second_numbers.reference = every_order.reference

),

final as (

    select reference from odd
    union
    select trim(reference) as reference from odd
    union
    select reference from named_otherwise

)

select * from final
