-- finds: a hosted checkout whose amount is not what was sent (fee on the
--   business) or that plus the wage (fee on the customer); a succeeded one also
--   where a figure is missing. Before the wage is known, the amount may not be
--   less than what was sent.
-- why: the customer was charged another price than the business asked for.
-- do: pay the excess back or ask for the rest; ask the provider for the reason.
--   Many at once that agree with the fee on the other side point at fee_bearer;
--   from some day on, at fee_bearer_since.
-- severity: critical
-- product: hosted
-- record: id
-- source: document 2, Resources and their fields, C. Hosted checkout (amount).
-- false alarm: hosted.fee_bearer says the wrong side; then every checkout
--   breaks. From some day on: hosted.fee_bearer_since lacks that day.

with

payments as (

    select * from int_hosted_payments

),

settings as (

    select * from stg_settings

),

compared as (

    select
        payments.*,
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
        coalesce(payments.status = 'SUCCEED', false) as is_succeeded,
    from payments
    cross join settings

),

final as (

    select
        checkout_id as record_id,
        checkout_number as related_id,
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
        or (is_succeeded and (amount_rial is null or expected_rial is null))

)

select * from final
