-- finds: a transaction whose amount is not what was sent (fee on the business)
--   or that plus the wage (fee on the customer); a confirmed one also where a
--   figure is missing. Before the wage is known, the amount may not be less
--   than what was sent.
-- why: the payer was charged another price than the business asked for.
-- do: pay the excess back or ask for the rest; ask the provider for the reason.
--   Many at once that agree with the fee on the other side point at fee_bearer;
--   from some day on, at fee_bearer_since.
-- severity: critical
-- product: gateway
-- record: transId
-- source: document 2, Resources and their fields, B. Transaction data (amount).
-- false alarm: gateway.fee_bearer says the wrong side; then every payment
--   breaks. From some day on: gateway.fee_bearer_since lacks that day.

with

payments as (

    select * from int_gateway_payments

),

settings as (

    select * from stg_settings

),

compared as (

    select
        payments.*,
        payments.fee_bearer = 'customer' as is_fee_added,
        settings.tolerance_rial,
        case
            when payments.fee_bearer = 'customer'
                then payments.sent_amount_rial + payments.wage_rial
            else payments.sent_amount_rial
        end as expected_rial,
        payments.sent_amount_rial
        + case
            when payments.fee_bearer = 'customer' then 0
            else payments.wage_rial
        end as other_rial,
        payments.is_verified
        or coalesce(payments.code = 2, false) as is_confirmed,
    from payments
    cross join settings
    where payments.is_looked_up

),

final as (

    select
        record_id,
        token as related_id,
        occurred_at,
        expected_rial as expected,
        amount_rial as actual,
        'The amount is {'
        || coalesce(cast(amount_rial as varchar), 'unknown')
        || '}, {'
        || coalesce(cast(sent_amount_rial as varchar), 'an unknown amount')
        || '} was sent and the wage is {'
        || coalesce(cast(wage_rial as varchar), 'unknown')
        || '}, with the fee on the '
        || fee_bearer
        || '.'
        || case
            when abs(amount_rial - other_rial) <= tolerance_rial
                then
                    ' It agrees with the fee on the '
                    || case fee_bearer
                        when 'customer' then 'business'
                        else 'customer'
                    end
                    || '.'
            else ''
        end as detail,
    from compared
    where
        abs(amount_rial - expected_rial) > tolerance_rial
        or sent_amount_rial - amount_rial > tolerance_rial
        or (is_confirmed and (amount_rial is null or sent_amount_rial is null))
        or (is_verified and is_fee_added and wage_rial is null)

)

select * from final
