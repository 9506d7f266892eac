-- One row a deposit that reached the wallet, or may have. Amounts in rials.
-- Settled: when int_deposit_landings says. `INIT`: queued, may land at any time from its
-- request on. Unknown: what other statuses mean; a status that is neither `INIT` nor
-- named in `settled_statuses` moves nothing and explains nothing.

with

deposits as (

    select * from stg_cash_in__deposits

),

entries as (

    select * from int_deposit_landings

),

answered as (

    select distinct track_id
    from entries

),

unanswered as (

    select deposits.*
    from deposits
    left join answered
        on nullif(trim(deposits.track_id), '') = answered.track_id
    where
        deposits.outcome = 'unknown'
        and answered.track_id is null

),

classified as (

    select
        deposit_id,
        gateway_transaction_id,
        track_id,
        amount_rial,
        wage_rial,
        wage_from,
        iban,
        requested_at,
        case when is_settled then landed_at end as landed_at,
        case when is_settled then latest_at end as latest_at,
        case
            when is_settled then 'settled'
            when status = 'INIT' then 'queued'
            else 'other_status'
        end as situation,
        pull_id,
        page_no,
        position,
    from entries

    union all

    select
        deposit_id,
        gateway_transaction_id,
        track_id,
        coalesce(amount_rial, requested_amount_rial) as amount_rial,
        wage_rial,
        wage_from,
        iban,
        requested_at,
        cast(null as timestamptz) as landed_at,
        cast(null as timestamptz) as latest_at,
        'outcome_unknown' as situation,
        pull_id,
        page_no,
        position,
    from unanswered

),

final as (

    select
        deposit_id,
        coalesce(
            nullif(trim(gateway_transaction_id), ''),
            track_id
        ) as record_id,
        case
            when situation <> 'settled'
                then 'deposit_' || situation
            when landed_at is null then 'deposit_without_time'
            when amount_rial is null then 'deposit_without_amount'
            else 'deposit_settled'
        end as kind,
        landed_at as occurred_at,
        latest_at,
        coalesce(
            amount_rial
            - case
                when wage_from = 'wallet'
                    then coalesce(wage_rial, 0)
                else 0
            end,
            0
        ) as effect_rial,
        case
            when landed_at is not null then 'certain'
            when situation = 'queued' then 'in_transit'
            else 'uncertain'
        end as certainty,
        requested_at as possible_from,
        cast(null as timestamptz) as possible_until,
        amount_rial,
        wage_rial,
        nullif(upper(replace(iban, ' ', '')), '') as iban,
        pull_id,
        page_no,
        position,
    from classified

)

select * from final
