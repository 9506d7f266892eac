-- One row a reference, of an order or a record of the provider, that needs a closer
-- look: all but those that one order and one record have, which agree in product,
-- amount and status, and those of records that need no order (int_book_pairs). A record
-- is met here by the first of its two numbers; a reference of an order that is the
-- second number of any is odd too, and so is one with a space at an end: it is listed
-- as it is spelled, and without the space. An uneven one, which is not all ASCII or has
-- a space or an apostrophe at an end, is listed bare, too: without what a sheet or a
-- hand puts around a number (spaces, signs that nobody sees, an apostrophe), and with 0
-- to 9 for its Persian and Arabic digits and Persian letters for an Arabic yeh or kaf.
-- int_book_spellings says which are one number.

with

-- each is read for one thing: what two read would be held whole
pairs as (

    select
        hash(reference) as reference_hash,
        is_odd,
    from int_book_pairs

),

every_pair as (

    select
        reference,
        hash(reference) as reference_hash,
    from int_book_pairs

),

-- by hashes of 64 bits, of very many the texts would be spilled; two references that
-- share one are odd needlessly
odd_hashes as (

    select reference_hash
    from pairs
    group by reference_hash
    having
        count(*) > 1
        or max(is_odd) = 1

),

odd as (

    select every_pair.reference
    from every_pair
    semi join odd_hashes
        on every_pair.reference_hash = odd_hashes.reference_hash

),

-- any version may be looked at: what is odd needlessly comes to the same
every_order as (

    select reference from raw_books_standing

),

-- most second numbers are longer than any order's: these need no look-up
order_lengths as (

    select * from int_book_lengths

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
            or bit_length(checkouts.request_id) <> 8 * length(checkouts.request_id)
            or checkouts.request_id like ' %'
            or checkouts.request_id like '% '
        )

),

named_otherwise as (

    select every_order.reference
    from every_order
    semi join second_numbers
        on every_order.reference = second_numbers.reference

),

listed as (

    select reference from odd
    union all
    select reference from named_otherwise

),

uneven as (

    select reference
    from listed
    where
        bit_length(reference) <> 8 * length(reference)
        or reference < '!'
        or reference like '''%'
        or right(reference, 1) < '!'

),

final as (

    select reference from listed
    union
    select trim(reference) as reference from uneven
    union
    select
        translate(
            regexp_replace(
                reference,
                '^[\p{Z}\p{Cc}\p{Cf}'']+|[\p{Z}\p{Cc}\p{Cf}]+$',
                '',
                'g'
            ),
            '۰۱۲۳۴۵۶۷۸۹٠١٢٣٤٥٦٧٨٩يىك',
            '01234567890123456789ییک'
        ) as reference,
    from uneven

)

select * from final
