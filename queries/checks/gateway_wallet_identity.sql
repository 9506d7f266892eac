-- finds: a verified transaction whose amount is not realAmount plus wage, or
--   which lacks one of the three.
-- why: realAmount is what the wallet got; what is neither there nor in the wage
--   is lost.
-- do: compare with the card receipt, and ask the provider to correct the
--   wallet.
-- severity: critical
-- product: gateway
-- record: transId
-- source: document 2, Resources and their fields, B. Verify result.

with

payments as (

    select * from int_gateway_payments

),

settings as (

    select * from stg_settings

),

final as (

    select
        payments.record_id,
        payments.token as related_id,
        payments.occurred_at,
        payments.real_amount_rial + payments.wage_rial as expected,
        payments.amount_rial as actual,
        'The amount is {'
        || coalesce(cast(payments.amount_rial as varchar), 'unknown')
        || '}, realAmount {'
        || coalesce(cast(payments.real_amount_rial as varchar), 'unknown')
        || '} and wage {'
        || coalesce(cast(payments.wage_rial as varchar), 'unknown')
        || '}.' as detail,
    from payments
    cross join settings
    where
        payments.is_verified
        and payments.is_looked_up
        and coalesce(
            abs(
                payments.amount_rial
                - payments.real_amount_rial
                - payments.wage_rial
            ) > settings.tolerance_rial,
            true
        )

)

select * from final
