-- One row a payment that some rule has to see whole, as last seen, whether its
-- checkout lists it or not. Amounts in rials. It may break a rule of one payment
-- alone or of its mandate, its receipt repeats, its checkout may not agree with
-- its payments, or nothing of it tells whether it was done. `expected_rial` is how
-- far a done one should have changed the wallet, with the fee on `fee_bearer` when
-- it was created.
-- kept: all are read at once, since to read a few costs as much as to read all.

with

payments as (

    select
        payment_id,
        checkout_id,
        hash(checkout_id) as checkout_hash,
        payment_method,
        amount_rial,
        wage_rial,
        affected_rial,
        ref_id,
        status,
        error_code,
        error_message,
        created_at,
        coalesce(created_at, cast('9999-01-01 00:00:00+00' as timestamptz)) as priced_at,
        updated_at,
        paid_at,
        mandate_id,
        is_debit,
        pull_id,
        page_no,
        position,
        seen_at,
    from stg_unified__met_payments

),

doubtful as (

    select distinct checkout_hash from stg_unified__doubtful_checkouts

),

receipts as (

    select * from int_repeated_receipts

),

mandates as (

    select * from stg_unified__mandates

),

settings as (

    select * from stg_settings

),

-- each instant has one; joined by `left`, since of an inner join by a span of time the
-- planner expects so few rows that it would hold all payments
fee_bearers as (

    select *
    from stg_fee_bearers
    where product = 'unified'

),

final as (

    select
        payments.payment_id,
        payments.checkout_id,
        payments.payment_method,
        payments.amount_rial,
        payments.wage_rial,
        payments.affected_rial,
        payments.ref_id,
        payments.status,
        payments.error_code,
        payments.error_message,
        payments.created_at,
        payments.updated_at,
        payments.paid_at,
        payments.mandate_id,
        payments.is_debit,
        payments.pull_id,
        payments.page_no,
        payments.position,
        payments.seen_at,
        fee_bearers.fee_bearer,
        case
            when fee_bearers.fee_bearer = 'customer'
                then payments.amount_rial
            else payments.amount_rial - payments.wage_rial
        end as expected_rial,
    from payments
    left join fee_bearers
        on
            payments.priced_at >= fee_bearers.valid_from
            and payments.priced_at < fee_bearers.valid_until
    left join doubtful
        on payments.checkout_hash = doubtful.checkout_hash
    left join receipts
        on trim(payments.ref_id) = receipts.receipt
    left join mandates
        on payments.mandate_id = mandates.mandate_id
    cross join settings
    where
        doubtful.checkout_hash is not null
        or receipts.receipt is not null
        or payments.error_code = 'WITHDRAWAL_TIMEOUT'
        or case
            when payments.status = 'done'
                then
                    payments.paid_at is null
                    or coalesce(
                        case
                            when payments.ref_id between '!' and '~' then false
                            else trim(payments.ref_id) = ''
                        end,
                        true
                    )
                    or coalesce(
                        abs(
                            payments.affected_rial
                            - case
                                when fee_bearers.fee_bearer = 'customer'
                                    then payments.amount_rial
                                else payments.amount_rial - payments.wage_rial
                            end
                        )
                        > settings.tolerance_rial,
                        true
                    )
                    or (
                        payments.is_debit
                        and (
                            payments.amount_rial > mandates.limit_rial
                            or coalesce(payments.paid_at, payments.created_at)
                            > mandates.expires_at
                            or coalesce(payments.paid_at, payments.created_at)
                            > mandates.revoked_at
                        )
                    )
            else
                payments.status = 'pending_redirect'
                or payments.affected_rial <> 0
                or (
                    payments.affected_rial is null
                    and lower(payments.status) <> 'failed'
                    and payments.error_code is null
                    and coalesce(payments.error_message, '') = ''
                )
        end
        or (
            payments.is_debit
            and (
                mandates.mandate_id is null
                or mandates.mandate_id = ''
                or payments.payment_method
                is distinct from mandates.payment_method
            )
        )

)

select * from final
