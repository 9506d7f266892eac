-- finds: an order and its record of which one is paid and the other is not;
--   refunded agrees with paid and with refunded; or an unpaid order that
--   several records paid, where no check of duplicates speaks of them.
--   Nothing is said of what was sent and never asked for, nor, for two
--   days, of an order that the books had as unpaid before its record
--   changed (the next export may have it), or that is later than what was
--   last read of its product, or came to be paid since where the pulls
--   since then failed.
-- why: an order is delivered without money, or money came in for an order that
--   waits.
-- do: trust the provider's status, then correct the books; ask the customer or
--   deliver.
-- severity: error
-- product: books
-- record: reference
-- source: document 3, Resources and their fields, Checkout (status); document
--   2, B (code) and C (status); document 1, Events.
-- false alarm: an agreement whose events never came, of which nobody knows
--   whether it was paid: import those of before the receiver ran.

with

matches as (

    select * from int_book_open_matches

),

-- whether these were paid, nobody knows before the first look-up
unknown as (

    select
        'gateway' as product,
        token as record_id,
    from int_gateway_payments
    where
        not is_looked_up
        and not is_verified
    union all
    select
        'hosted' as product,
        checkout_id as record_id,
    from int_hosted_payments
    where not is_inquired

),

joint_payments as (

    select * from int_book_joint_payments

),

orders as (

    select * from int_book_open_orders

),

records as (

    select * from int_book_open_records

),

settings as (

    select * from stg_settings

),

read_until as (

    select * from int_read_until

),

behind as (

    select
        orders.order_id,
        orders.reference,
        orders.product,
        read_until.read_at,
    from matches
    inner join orders
        on matches.order_id = orders.order_id
    inner join read_until
        on matches.product = read_until.product
    cross join settings
    where
        read_until.is_behind
        and read_until.read_at > settings.as_of - interval 48 hours
        and matches.confidence = 'certain'
        and not matches.is_paid
        and orders.status in ('paid', 'refunded')

),

versions as (

    select
        trim(reference) as reference,
        nullif(trim(product), '') as product,
        seen_at,
    from raw_books
    where status in ('paid', 'refunded')

),

paid_versions as (

    select versions.*
    from versions
    semi join behind
        on
            versions.reference is not distinct from behind.reference
            and versions.product is not distinct from behind.product

),

-- no export that came before the last good read had them as paid
paid_since as (

    select behind.order_id
    from behind
    anti join paid_versions
        on
            behind.reference is not distinct from paid_versions.reference
            and behind.product is not distinct from paid_versions.product
            and behind.read_at >= paid_versions.seen_at

),

-- paid after the books were exported, or after its product was read
later as (

    select
        orders.order_id,
        records.product,
        records.record_id,
    from matches
    inner join orders
        on matches.order_id = orders.order_id
    inner join records
        on
            matches.product = records.product
            and matches.record_id = records.record_id
    left join read_until
        on matches.product = read_until.product
    left join paid_since
        on orders.order_id = paid_since.order_id
    cross join settings
    where
        (
            records.is_paid
            and records.updated_at > orders.seen_at
            and records.updated_at > settings.as_of - interval 48 hours
            and records.updated_at <= settings.as_of + interval 1 day
        )
        or (
            not records.is_paid
            and orders.occurred_at > read_until.read_at
            and orders.occurred_at > settings.as_of - interval 48 hours
        )
        or (not records.is_paid and paid_since.order_id is not null)

),

timely as (

    select matches.*
    from matches
    anti join later
        on
            matches.order_id = later.order_id
            and matches.product = later.product
            and matches.record_id = later.record_id

),

different as (

    select
        matches.reference,
        matches.named_reference,
        matches.record_id as related_id,
        matches.book_occurred_at,
        matches.book_status,
        'its record of '
        || matches.product
        || case
            when matches.is_refunded then ' is refunded.'
            when matches.is_paid then ' is paid.'
            else ' is not paid.'
        end as told,
    from timely as matches
    anti join unknown
        on
            matches.product = unknown.product
            and matches.record_id = unknown.record_id
    where
        matches.confidence = 'certain'
        and coalesce(matches.book_status in ('paid', 'refunded'), false)
        <> matches.is_paid
    union all
    select
        joint_payments.reference,
        joint_payments.named_reference,
        joint_payments.record_ids as related_id,
        joint_payments.book_occurred_at,
        joint_payments.book_status,
        cast(joint_payments.record_count as varchar)
        || ' records of it are paid.' as told,
    from joint_payments
    semi join timely
        on joint_payments.order_id = timely.order_id
    where
        not coalesce(
            joint_payments.book_status in ('paid', 'refunded'), false
        )

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
        cast(null as bigint) as expected,
        cast(null as bigint) as actual,
        'The books have the order as '
        || coalesce(book_status, 'nothing')
        || ', '
        || told as detail,
    from different

)

select * from final
