-- One row a payment that may have several versions: the newest of them, with the
-- columns of the lake.

with

versions as (

    select * from raw_payments

),

repeated as (

    select * from stg_unified__repeated_payments

),

several as (

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
    semi join repeated
        on versions.id is not distinct from repeated.id

),

final as (

    select *
    from several
    qualify row_number() over (
        partition by id
        order by pull_id desc, page_no desc, position desc
    ) = 1

)

select * from final
