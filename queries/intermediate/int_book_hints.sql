-- One row an unlinked order or paid record and what of exactly its amount the
-- other side has within a day, in words. A clue for people; it links nothing.

with

unlinked as (

    select * from int_book_unlinked

),

pairs as (

    select * from int_book_near_pairs

),

sides as (

    select
        order_item_id as item_id,
        later_seconds,
        'is ' || product || ' ' || record_id as partner,
    from pairs
    union all
    select
        record_item_id as item_id,
        -later_seconds as later_seconds,
        'has the reference ' || reference as partner,
    from pairs

),

nearest as (

    select *
    from sides
    qualify row_number() over (
        partition by item_id
        order by abs(later_seconds), later_seconds, partner
    ) = 1

),

timed as (

    select
        item_id,
        partner,
        case
            when abs(later_seconds) < 60 then 'within a minute'
            when abs(later_seconds) < 120 then '1 minute '
            when abs(later_seconds) < 7200
                then cast(abs(later_seconds) // 60 as varchar) || ' minutes '
            else cast(abs(later_seconds) // 3600 as varchar) || ' hours '
        end
        || case
            when abs(later_seconds) < 60 then ''
            when later_seconds < 0 then 'earlier'
            else 'later'
        end as distance,
    from nearest

),

final as (

    select
        unlinked.item_id,
        case
            when unlinked.candidate_count > 1
                then
                    cast(unlinked.candidate_count as varchar)
                    || case
                        when unlinked.side = 'order'
                            then ' paid records without an order'
                        else ' orders without a record'
                    end
                    || ' have this amount within a day'
                    || coalesce(
                        '; the nearest, '
                        || timed.distance
                        || ', '
                        || timed.partner,
                        ''
                    )
                    || '.'
            when timed.item_id is not null
                then
                    case
                        when unlinked.side = 'order' then 'A paid record'
                        else 'An order'
                    end
                    || ' of the same amount, '
                    || timed.distance
                    || ', '
                    || timed.partner
                    || '.'
        end as hint,
    from unlinked
    left join timed
        on unlinked.item_id = timed.item_id
    where
        unlinked.candidate_count > 1
        or timed.item_id is not null

)

select * from final
