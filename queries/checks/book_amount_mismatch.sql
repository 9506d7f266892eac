-- finds: an order whose amount is not the amount that was sent for its record,
--   or where one of the two is missing; or more than was sent for all records
--   that paid it, where several did and no check of duplicates speaks of them.
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

joint_payments as (

    select * from int_book_joint_payments

),

settings as (

    select * from stg_settings

),

different as (

    select
        matches.reference,
        matches.named_reference,
        matches.record_id as related_id,
        matches.book_occurred_at,
        matches.record_amount_rial,
        matches.book_amount_rial,
        matches.product
        || ' was sent {'
        || coalesce(
            cast(matches.record_amount_rial as varchar), 'an unknown amount'
        )
        || '}.' as told,
    from matches
    cross join settings
    where
        matches.confidence = 'certain'
        and coalesce(
            abs(matches.difference_rial) > settings.tolerance_rial, true
        )
    union all
    select
        joint_payments.reference,
        joint_payments.named_reference,
        joint_payments.record_ids as related_id,
        joint_payments.book_occurred_at,
        joint_payments.received_rial as record_amount_rial,
        joint_payments.book_amount_rial,
        'the '
        || cast(joint_payments.counted_count as varchar)
        || ' records that paid it were sent {'
        || cast(joint_payments.received_rial as varchar)
        || '} together.' as told,
    from joint_payments
    cross join settings
    where
        joint_payments.book_amount_rial - joint_payments.received_rial
        > settings.tolerance_rial

),

-- one reference of two products is two orders, and two breaks
final as (

    select
        case
            when count(*) over (partition by reference) > 1 then named_reference
            else reference
        end as record_id,
        related_id,
        book_occurred_at as occurred_at,
        record_amount_rial as expected,
        book_amount_rial as actual,
        'The books have {'
        || coalesce(cast(book_amount_rial as varchar), 'an unknown amount')
        || '}, '
        || told as detail,
    from different

)

select * from final
