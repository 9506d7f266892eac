-- One row a payment that may have several versions: the newest of them, with
-- the columns of the lake.

with

versions as (

    select * from raw_payments_standing

),

repeated as (

    select * from stg_unified__repeated_payments

),

versions_by_place as (

    select * from raw_payments_standing

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
        versions.checkout_id,
        versions.payment_method,
        versions.amount,
        versions.wage_amount,
        versions.affected_amount,
        versions.ref_id,
        versions.tracking_code,
        versions.status,
        versions.error_code,
        versions.error_message,
        versions.created_at,
        versions.updated_at,
        versions.paid_at,
        versions.type,
        versions.mandate_id,
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
