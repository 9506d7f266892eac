-- One row a checkout that may have several versions: the newest of them, with
-- the columns of the lake.

with

versions as (

    select * from raw_checkouts_standing

),

repeated as (

    select * from stg_unified__repeated_checkouts

),

versions_by_place as (

    select * from raw_checkouts_standing

),

-- where the newest lie, by few columns; only their files are read whole
places as (

    select
        versions_by_place.id,
        versions_by_place.pull_id,
        versions_by_place.page_no,
        versions_by_place.position,
    from versions_by_place
    semi join repeated
        on versions_by_place.id is not distinct from repeated.id
    qualify row_number() over (
        partition by versions_by_place.id
        order by
            versions_by_place.pull_id desc,
            versions_by_place.page_no desc,
            versions_by_place.position desc
    ) = 1

),

placed as (

    select
        versions.id,
        versions.request_id,
        versions.checkout_number,
        versions.amount,
        versions.status,
        versions.description,
        versions.created_at,
        versions.updated_at,
        versions.customer_id,
        versions.customer_mobile,
        versions.customer_national_code,
        versions.payment_ids,
        versions.pull_id,
        versions.page_no,
        versions.position,
        versions.seen_at,
    from versions
    semi join places
        on
            versions.pull_id = places.pull_id
            and versions.id is not distinct from places.id
            and versions.page_no is not distinct from places.page_no
            and versions.position is not distinct from places.position

),

-- two at the same place are one
final as (

    select *
    from placed
    qualify row_number() over (partition by id order by pull_id) = 1

)

select * from final
