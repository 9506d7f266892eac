-- One row an amount that a record knows, for hints at what a rest may be. In
-- rials. `role`: `counted` (its effect is in the roll-forward), `wage` (the fee
-- of such a record), `uncounted` (a record that moved nothing as far as it is
-- known, with the effect it would have had).

with

movements as (

    select * from int_wallet_movements

),

movements_with_wages as (

    select * from int_wallet_movements

),

uncounted_deposits as (

    select * from int_wallet_movements

),

counted as (

    select
        product,
        record_id,
        kind,
        occurred_at,
        'counted' as role,
        effect_rial as amount_rial,
    from movements
    where certainty = 'certain'

),

wages as (

    select
        product,
        record_id,
        kind,
        occurred_at,
        'wage' as role,
        wage_rial as amount_rial,
    from movements_with_wages
    where certainty = 'certain'

),

fee_bearers as (

    select *
    from stg_fee_bearers
    where product = 'unified'

),

payments as (

    select
        'unified' as product,
        payments.payment_id as record_id,
        'payment_' || coalesce(payments.status, 'without_status') as kind,
        payments.created_at as occurred_at,
        'uncounted' as role,
        payments.amount_rial
        - case
            when fee_bearers.fee_bearer = 'customer' then 0
            else coalesce(payments.wage_rial, 0)
        end as amount_rial,
    from stg_unified__payments as payments
    left join fee_bearers
        on
            payments.created_at >= fee_bearers.valid_from
            and payments.created_at < fee_bearers.valid_until
    where payments.status is distinct from 'done'

),

gateway as (

    select
        'gateway' as product,
        token as record_id,
        'gateway_unverified' as kind,
        sent_at as occurred_at,
        'uncounted' as role,
        sent_amount_rial as amount_rial,
    from stg_gateway__requests
    where
        real_amount_rial is null
        and verified_at is null

),

hosted as (

    select
        'hosted' as product,
        checkout_id as record_id,
        'hosted_' || coalesce(lower(status), 'without_status') as kind,
        created_at as occurred_at,
        'uncounted' as role,
        amount_rial - coalesce(wage_rial, 0) as amount_rial,
    from stg_hosted__checkouts
    where status is distinct from 'SUCCEED'

),

deposits as (

    select
        product,
        record_id,
        kind,
        possible_from as occurred_at,
        'uncounted' as role,
        effect_rial as amount_rial,
    from uncounted_deposits
    where kind in ('deposit_other_status', 'deposit_outcome_unknown')

),

together as (

    select * from counted
    union all
    select * from wages
    union all
    select * from payments
    union all
    select * from gateway
    union all
    select * from hosted
    union all
    select * from deposits

),

final as (

    select *
    from together
    where
        amount_rial <> 0
        and occurred_at is not null

)

select * from final
