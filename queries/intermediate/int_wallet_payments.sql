-- One row a unified payment that moved the wallet, or may have. Amounts in
-- rials. Done: `affected_amount` at `paid_at`; without `paid_at` between its
-- creation and its last update. Timed out, and its checkout has no done
-- payment: the money may have moved, as `amount - wage_amount`, or as `amount` where
-- the customer bears the fee, which is what a done one moves. A done payment
-- without any amount is certain and moves 0: what it did move is then an
-- unexplained rest, never a silent null. `fee_bearer`: who bore the wage when it
-- was created.
-- streamed: each reader takes a few columns of very many rows.

with

payments as (

    select * from stg_unified__payments

),

fee_bearers as (

    select *
    from stg_fee_bearers
    where product = 'unified'

),

done as (

    select
        payments.payment_id,
        payments.paid_at,
        payments.affected_rial,
        payments.created_at,
        payments.updated_at,
        payments.payment_method,
        payments.amount_rial,
        payments.wage_rial,
        payments.amount_rial
        - case
            when fee_bearers.fee_bearer = 'customer' then 0
            else coalesce(payments.wage_rial, 0)
        end as supposed_rial,
        fee_bearers.fee_bearer,
        payments.pull_id,
        payments.page_no,
        payments.position,
    from payments
    left join fee_bearers
        on
            coalesce(
                payments.created_at, cast('9999-01-01 00:00:00+00' as timestamptz)
            ) >= fee_bearers.valid_from
            and coalesce(
                payments.created_at, cast('9999-01-01 00:00:00+00' as timestamptz)
            ) < fee_bearers.valid_until
    where payments.status = 'done'

),

timed_out as (

    select * from int_wallet_timeouts

),

final as (

    select
        payment_id,
        case
            when paid_at is null then 'payment_without_time'
            when affected_rial is null then 'payment_without_amount'
            else 'payment_done'
        end as kind,
        paid_at as occurred_at,
        case
            when paid_at is null then coalesce(affected_rial, supposed_rial, 0)
            else coalesce(affected_rial, 0)
        end as effect_rial,
        case
            when paid_at is null then 'uncertain'
            else 'certain'
        end as certainty,
        created_at as possible_from,
        updated_at as possible_until,
        payment_method,
        amount_rial,
        wage_rial,
        fee_bearer,
        pull_id,
        page_no,
        position,
    from done

    union all

    select
        payment_id,
        'payment_timeout' as kind,
        cast(null as timestamptz) as occurred_at,
        coalesce(
            amount_rial
            - case
                when fee_bearer = 'customer' then 0
                else coalesce(wage_rial, 0)
            end,
            0
        ) as effect_rial,
        'uncertain' as certainty,
        created_at as possible_from,
        updated_at as possible_until,
        payment_method,
        amount_rial,
        wage_rial,
        fee_bearer,
        pull_id,
        page_no,
        position,
    from timed_out

)

select * from final
