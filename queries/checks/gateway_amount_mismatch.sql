-- finds: a transaction whose amount is not what was sent (fee on the business)
--   or that plus the wage (fee on the customer); a confirmed one also where a
--   figure is missing. Before the wage is known, the amount may not be less
--   than what was sent.
-- why: the payer was charged another price than the business asked for.
-- do: pay the excess back or ask for the rest; ask the provider for the reason.
-- severity: critical
-- product: gateway
-- record: transId
-- source: document 2, Resources and their fields, B. Transaction data (amount).
-- false alarm: gateway.fee_bearer says the wrong side; then every payment
--   breaks.

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
        settings.gateway_fee_bearer = 'customer' as is_fee_added,
        settings.gateway_fee_bearer as fee_bearer,
        settings.tolerance_rial,
        case
            when settings.gateway_fee_bearer = 'customer'
                then payments.sent_amount_rial + payments.wage_rial
            else payments.sent_amount_rial
        end as expected_rial,
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
        'The amount is '
        || coalesce(cast(amount_rial as varchar), 'unknown')
        || ', '
        || coalesce(cast(sent_amount_rial as varchar), 'an unknown amount')
        || ' was sent and the wage is '
        || coalesce(cast(wage_rial as varchar), 'unknown')
        || ', with the fee on the '
        || fee_bearer
        || '.' as detail,
    from compared
    where
        abs(amount_rial - expected_rial) > tolerance_rial
        or sent_amount_rial - amount_rial > tolerance_rial
        or (is_confirmed and (amount_rial is null or sent_amount_rial is null))
        or (is_verified and is_fee_added and wage_rial is null)

)

select * from final
