-- finds: a done payment whose affected amount is not the amount less the wage
--   (fee on the business) or not the amount (fee on the customer), or which
--   lacks a figure that this needs.
-- why: the affected amount is what the wallet got; anything else is money lost,
--   or money that will be asked back.
-- do: compare the payment with its receipt, and ask the provider to correct the
--   wallet by the difference. Many at once that agree with the fee on the other
--   side point at fee_bearer; from some day on, at fee_bearer_since.
-- severity: critical
-- product: unified
-- record: payment id
-- source: document 3, Resources and their fields, Payment.
-- false alarm: unified.fee_bearer says the wrong side; then every payment
--   breaks. From some day on: unified.fee_bearer_since lacks that day.

with

payments as (

    select * from int_unsound_payments

),

settings as (

    select * from stg_settings

),

done_payments as (

    select
        payments.payment_id,
        payments.checkout_id,
        coalesce(payments.paid_at, payments.created_at) as occurred_at,
        payments.amount_rial,
        payments.wage_rial,
        payments.affected_rial,
        payments.fee_bearer,
        settings.tolerance_rial,
        payments.expected_rial,
        payments.amount_rial
        - case
            when payments.fee_bearer = 'customer' then payments.wage_rial
            else 0
        end as other_rial,
    from payments
    cross join settings
    where payments.status = 'done'

),

final as (

    select
        payment_id as record_id,
        checkout_id as related_id,
        occurred_at,
        expected_rial as expected,
        affected_rial as actual,
        'By its affected amount the wallet changed by {'
        || coalesce(cast(affected_rial as varchar), 'an unknown amount')
        || '} for amount {'
        || coalesce(cast(amount_rial as varchar), 'unknown')
        || '} and wage {'
        || coalesce(cast(wage_rial as varchar), 'unknown')
        || '}, with the fee on the '
        || fee_bearer
        || '.'
        || case
            when abs(affected_rial - other_rial) <= tolerance_rial
                then
                    ' It agrees with the fee on the '
                    || case fee_bearer
                        when 'customer' then 'business'
                        else 'customer'
                    end
                    || '.'
            else ''
        end as detail,
    from done_payments
    where coalesce(abs(affected_rial - expected_rial) > tolerance_rial, true)

)

select * from final
