-- One row an item that may be paid by several of the other side, and one of
-- those. Amounts in rials. `split`: an order and records; `bundle`: a record
-- and orders. A member is less than the whole, and belongs to it by reference
-- (the member's is the whole's with a suffix: `1001` and `1001-2`), or by a
-- customer within 24 hours. What has its one likely partner takes no part.
-- `is_contested` where the item is a candidate of a pair besides.

with

unlinked as (

    select * from int_book_unlinked

),

pairs as (

    select * from int_book_near_pairs

),

provider_references as (

    select * from int_provider_references

),

customers as (

    select * from int_book_customers

),

settled as (

    select order_item_id as item_id
    from pairs
    where is_unique
    union all
    select record_item_id as item_id
    from pairs
    where is_unique

),

open_items as (

    select
        unlinked.side,
        unlinked.item_id,
        unlinked.order_id,
        unlinked.product,
        unlinked.record_id,
        unlinked.reference,
        unlinked.amount_rial,
        unlinked.occurred_at,
        unlinked.candidate_count > 0 as is_contested,
    from unlinked
    left join settled
        on unlinked.item_id = settled.item_id
    where
        settled.item_id is null
        and unlinked.amount_rial > 0

),

names as (

    select
        side,
        item_id,
        reference,
    from open_items
    where side = 'order'
    union all
    select
        'record' as side,
        'record:' || product || ':' || record_id as item_id,
        reference,
    from provider_references

),

stems as (

    select
        side,
        item_id,
        regexp_extract(
            reference,
            '^(.*[^-_/.#: ])[-_/.#: ]+[^-_/.#: ]{1,3}$',
            1
        ) as stem,
    from names

),

by_reference as (

    select
        names.item_id as whole_id,
        stems.item_id as member_id,
    from names
    inner join stems
        on
            names.reference = stems.stem
            and names.side <> stems.side
    where stems.stem <> ''

),

-- a customer of very many open items is a placeholder, or the till
known_items as (

    select
        open_items.side,
        open_items.item_id,
        open_items.occurred_at,
        customers.customer,
    from open_items
    inner join customers
        on open_items.item_id = customers.item_id
    qualify count(*) over (partition by customers.customer) <= 200

),

by_customer as (

    select
        wholes.item_id as whole_id,
        members.item_id as member_id,
    from known_items as wholes
    inner join known_items as members
        on
            wholes.customer = members.customer
            and wholes.side <> members.side
            and members.occurred_at >= wholes.occurred_at - interval 24 hours
            and members.occurred_at <= wholes.occurred_at + interval 24 hours

),

belonging as (

    select * from by_reference
    union
    select * from by_customer

),

members as (

    select
        wholes.side as whole_side,
        belonging.whole_id,
        belonging.member_id,
        case when wholes.side = 'order' then 'split' else 'bundle' end
            as method,
        wholes.amount_rial as whole_rial,
        wholes.is_contested as whole_is_contested,
        items.amount_rial as member_rial,
        items.is_contested as member_is_contested,
        items.occurred_at as member_at,
        case
            when wholes.side = 'order' then wholes.reference
            else items.reference
        end as reference,
        case
            when wholes.side = 'order' then wholes.occurred_at
            else items.occurred_at
        end as book_occurred_at,
        coalesce(wholes.order_id, items.order_id) as order_id,
        coalesce(wholes.record_id, items.record_id) as record_id,
        case
            when wholes.side = 'order' then items.product
            else wholes.product
        end as product,
    from belonging
    inner join open_items as wholes
        on belonging.whole_id = wholes.item_id
    inner join open_items as items
        on belonging.member_id = items.item_id
    where
        wholes.side <> items.side
        and items.amount_rial < wholes.amount_rial
        and case
            when wholes.side = 'order'
                then coalesce(wholes.product, items.product) = items.product
            else coalesce(items.product, wholes.product) = wholes.product
        end

),

-- a whole takes at least two members
final as (

    select *
    from members
    qualify count(*) over (partition by whole_side, whole_id) > 1

)

select * from final
