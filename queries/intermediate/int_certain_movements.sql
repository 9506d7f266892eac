-- One row a certain movement of the wallet, with what its record says of it. In rials.
-- `amount_rial` is the gross of the record, `wage_rial` its fee, `effect_rial` the
-- signed effect on the wallet. Products without methods leave the method empty; an
-- adjustment names its kind there, and its amount is its effect.
-- streamed: each reader takes a few columns of very many rows.

with

movements as (

    select * from int_wallet_movements
    where certainty = 'certain'

),

payments as (

    select * from stg_unified__payments

),

gateway_requests as (

    select * from stg_gateway__requests

),

gateway_transactions as (

    select * from stg_gateway__transactions

),

hosted_checkouts as (

    select * from stg_hosted__checkouts

),

deposits as (

    select * from stg_cash_in__deposits

),

adjustments as (

    select * from stg_business__adjustments

),

unified as (

    select
        movements.movement_id,
        coalesce(payments.payment_method, '') as payment_method,
        payments.amount_rial,
        payments.wage_rial,
        cast(null as varchar) as iban,
        cast(null as varchar) as description,
    from movements
    inner join payments
        on movements.record_id = payments.payment_id
    where movements.product = 'unified'

),

gateway as (

    select
        movements.movement_id,
        '' as payment_method,
        coalesce(
            gateway_transactions.amount_rial,
            gateway_requests.real_amount_rial
            + coalesce(gateway_requests.wage_rial, 0),
            gateway_requests.sent_amount_rial
        ) as amount_rial,
        gateway_requests.wage_rial,
        cast(null as varchar) as iban,
        cast(null as varchar) as description,
    from movements
    inner join gateway_requests
        on movements.record_id = gateway_requests.token
    left join gateway_transactions
        on movements.record_id = gateway_transactions.token
    where movements.product = 'gateway'

),

hosted as (

    select
        movements.movement_id,
        '' as payment_method,
        hosted_checkouts.amount_rial,
        hosted_checkouts.wage_rial,
        cast(null as varchar) as iban,
        cast(null as varchar) as description,
    from movements
    inner join hosted_checkouts
        on movements.record_id = hosted_checkouts.checkout_id
    where movements.product = 'hosted'

),

-- a deposit that stands under two requests moved once: the movement's own entry
cash_in as (

    select
        movements.movement_id,
        '' as payment_method,
        deposits.amount_rial,
        deposits.wage_rial,
        nullif(upper(replace(deposits.iban, ' ', '')), '') as iban,
        cast(null as varchar) as description,
    from movements
    inner join deposits
        on
            movements.record_id
            = coalesce(deposits.gateway_transaction_id, deposits.track_id)
            and movements.pull_id = deposits.pull_id
            and movements.page_no is not distinct from deposits.page_no
            and movements.position is not distinct from deposits.position
    where movements.product = 'cash_in'
    qualify row_number() over (
        partition by movements.movement_id
        order by deposits.is_settled desc, deposits.track_id, deposits.amount_rial
    ) = 1

),

wallet as (

    select
        movements.movement_id,
        coalesce(adjustments.kind, '') as payment_method,
        movements.effect_rial as amount_rial,
        0 as wage_rial,
        cast(null as varchar) as iban,
        adjustments.description,
    from movements
    inner join adjustments
        on
            movements.record_id
            = adjustments.record_hash
            || ':'
            || cast(adjustments.nth as varchar)
    where movements.product = 'wallet'

),

told as (

    select * from unified
    union all
    select * from gateway
    union all
    select * from hosted
    union all
    select * from cash_in
    union all
    select * from wallet

),

final as (

    select
        movements.movement_id,
        movements.product,
        movements.record_id,
        movements.occurred_at,
        movements.business_date,
        told.payment_method,
        told.amount_rial,
        coalesce(told.wage_rial, 0) as wage_rial,
        movements.effect_rial,
        told.iban,
        told.description,
    from movements
    inner join told
        on movements.movement_id = told.movement_id

)

select * from final
