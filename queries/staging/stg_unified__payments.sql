-- One row a payment that its checkout still lists, as last seen. Amounts in rials.

with

versions as (

    select * from raw_payments

),

checkouts as (

    select * from stg_unified__checkouts

),

latest as (

    select *
    from versions
    qualify row_number() over (
        partition by id
        order by pull_id desc, page_no desc, position desc
    ) = 1

),

final as (

    select
        latest.id as payment_id,
        latest.checkout_id,
        latest.payment_method,
        latest.amount as amount_rial,
        latest.wage_amount as wage_rial,
        latest.affected_amount as affected_rial,
        latest.ref_id,
        latest.tracking_code,
        latest.status,
        latest.error_code,
        latest.error_message,
        latest.created_at,
        latest.updated_at,
        latest.paid_at,
        latest.type,
        latest.mandate_id,
        latest.pull_id,
        latest.page_no,
        latest.position,
        latest.seen_at,
    from latest
    inner join checkouts
        on
            latest.checkout_id = checkouts.checkout_id
            and list_contains(checkouts.payment_ids, latest.id)

)

select * from final
