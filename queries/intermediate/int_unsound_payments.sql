-- One row a payment that may break a rule of one payment alone: read once, and
-- the checks say which rule it is. Amounts in rials. `expected_rial` is how far
-- a done one should have changed the wallet.

with

payments as (

    select
        payment_id,
        checkout_id,
        amount_rial,
        wage_rial,
        affected_rial,
        ref_id,
        status,
        error_code,
        created_at,
        updated_at,
        paid_at,
        pull_id,
        page_no,
        position,
        seen_at,
    from stg_unified__payments

),

settings as (

    select * from stg_settings

),

final as (

    select
        payments.payment_id,
        payments.checkout_id,
        payments.amount_rial,
        payments.wage_rial,
        payments.affected_rial,
        payments.ref_id,
        payments.status,
        payments.error_code,
        payments.created_at,
        payments.updated_at,
        payments.paid_at,
        payments.pull_id,
        payments.page_no,
        payments.position,
        payments.seen_at,
        case
            when settings.unified_fee_bearer = 'customer'
                then payments.amount_rial
            else payments.amount_rial - payments.wage_rial
        end as expected_rial,
    from payments
    cross join settings
    where
        case
            when payments.status = 'done'
                then
                    payments.paid_at is null
                    or coalesce(
 case when payments.ref_id between '!' and '~' then false else trim(payments.ref_id) = '' end, true)
                    or coalesce(
                        abs(
                            payments.affected_rial
                            - case
                                when settings.unified_fee_bearer = 'customer'
                                    then payments.amount_rial
                                else payments.amount_rial - payments.wage_rial
                            end
                        )
                        > settings.tolerance_rial,
                        true
                    )
            else
                payments.status = 'pending_redirect'
                or payments.affected_rial <> 0
        end
        or payments.error_code = 'WITHDRAWAL_TIMEOUT'

)

select * from final
