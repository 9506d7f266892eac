-- One row a leg of a double entry; every entry's debits equal its credits. In rials.
-- What is certain is posted when it happened; what a record's own amounts leave over
-- goes to suspense. Items that explain a rest of the wallet, and the rest that nothing
-- explains, are posted against suspense at the snapshot that shows them (one at
-- midnight: the second before), so that the wallet's account meets every snapshot; what
-- a snapshot does not have yet, when it is posted itself, and what the last one does not
-- have, by when it has moved for sure; not so what may have moved where the wallet
-- changed. What moved over the first snapshot is put right there. Where the wallet
-- changed, what leads from the last balance of the one to the first of the other,
-- beside what is certain to have moved between, is compared with nothing and is posted
-- against suspense.
-- Escrow is money of others: memo accounts.

with

movements as (

    select * from int_certain_movements
    where occurred_at is not null

),

intervals as (

    select * from int_wallet_rests

),

explanations as (

    select * from int_wallet_explanations
    where solution = 1

),

escrow_events as (

    select * from int_escrow_events
    where
        is_corroborated
        and amount_rial is not null
        and occurred_at is not null

),

openings as (

    select * from int_wallet_openings

),

settings as (

    select * from stg_settings

),

-- who bears the wage, and where it is taken from
borne as (

    select
        *,
        fee_bearer is not distinct from 'business' as is_wage_ours,
        case
            -- the customer's wage is in the amount, but never the business's
            when product in ('gateway', 'hosted') and fee_bearer = 'customer'
                then -wage_rial
            -- what reached the wallet whole, the bank account paid for besides
            when product = 'cash_in' and effect_rial = amount_rial
                then wage_rial
            else 0
        end as wage_beside_rial,
    from movements

),

reckoned as (

    select
        movement_id as entry_id,
        occurred_at as posted_at,
        business_date,
        product,
        record_id,
        case product
            when 'unified'
                then 'Payment' || coalesce(' by ' || nullif(payment_method, ''), '')
            when 'gateway' then 'Card payment'
            when 'hosted' then 'One-click payment'
            when 'cash_in' then 'Deposit from the bank'
            else
                'Adjustment'
                || coalesce(', ' || nullif(payment_method, ''), '')
                || coalesce(': ' || nullif(description, ''), '')
        end as narration,
        case product
            when 'cash_in' then 'assets:bank:' || coalesce(iban, 'unknown')
            when 'wallet' then 'equity:adjustments'
            else 'assets:clearing:' || product
        end as counterpart,
        effect_rial,
        case when is_wage_ours then wage_rial else 0 end as wage_rial,
        coalesce(
            amount_rial + wage_beside_rial,
            effect_rial + case when is_wage_ours then wage_rial else 0 end
        ) as given_rial,
    from borne

),

explained as (

    select
        'explained:'
        || explanations.wallet
        || ':'
        || strftime(explanations.to_at at time zone 'UTC', '%Y%m%d%H%M%S')
        || ':'
        || explanations.item_id as entry_id,
        -- what is known to a span is in the wallet by its end
        case
            when
                explanations.kind = 'moved_in'
                and explanations.latest_at < intervals.posted_at
                then explanations.latest_at
            -- what came only after the interval is taken out where it was put in
            when
                explanations.kind = 'moved_out'
                and explanations.occurred_at <= explanations.to_at
                then explanations.occurred_at
            else intervals.posted_at
        end as posted_at,
        explanations.product,
        explanations.record_id,
        'Taken to be in the balance of this snapshot: '
        || replace(explanations.kind, '_', ' ') as narration,
        'suspense:' || explanations.product as counterpart,
        explanations.effect_rial,
    from explanations
    inner join intervals
        on
            explanations.wallet = intervals.wallet
            and explanations.to_at = intervals.to_at

),

-- what the last snapshot of all does not have yet: it is taken out of that balance
under_way as (

    select
        'explained:' || wallet || ':later:' || item_id as entry_id,
        latest_at as posted_at,
        product,
        record_id,
        'Taken to have come after the last snapshot' as narration,
        'suspense:' || product as counterpart,
        -effect_rial as effect_rial,
    from int_wallet_under_way

),

-- what is on the other side of the first snapshot than it counts
over_first as (

    select
        'explained:' || wallet || ':earlier:' || item_id as entry_id,
        posted_at,
        product,
        record_id,
        'Taken to be on the other side of the first snapshot' as narration,
        'suspense:' || product as counterpart,
        -effect_rial as effect_rial,
    from int_wallet_over_first

),

explained_sums as (

    select
        wallet,
        to_at,
        sum(effect_rial) as effect_rial,
    from explanations
    group by wallet, to_at

),

unexplained as (

    select
        'unexplained:'
        || intervals.wallet
        || ':'
        || strftime(intervals.to_at at time zone 'UTC', '%Y%m%d%H%M%S') as entry_id,
        intervals.posted_at,
        'wallet' as product,
        intervals.wallet as record_id,
        'A rest that nothing explains' as narration,
        'suspense:wallet' as counterpart,
        intervals.difference_rial
        - cast(coalesce(explained_sums.effect_rial, 0) as bigint) as effect_rial,
    from intervals
    left join explained_sums
        on
            intervals.wallet = explained_sums.wallet
            and intervals.to_at = explained_sums.to_at

),

-- one receipt is one payment of the buyer; refunds and payouts have none, and
-- two of one amount are two
escrow_moves as (

    select
        tracking_code,
        event_type,
        occurred_at,
        data,
        case
            when event_type = 'buyer_paid_agreement' then amount_rial
            else -amount_rial
        end as held_rial,
    from escrow_events
    where
        event_type in (
            'buyer_paid_agreement', 'payment_refunded_to_buyer', 'seller_checked_out'
        )
    qualify row_number() over (
        partition by
            tracking_code,
            event_type,
            case when event_type <> 'buyer_paid_agreement' then occurred_at end,
            case
                when event_type = 'buyer_paid_agreement'
                    then coalesce(receipt, data)
                else data
            end
        order by occurred_at, data
    ) = 1

),

escrow as (

    select
        'escrow:'
        || tracking_code
        || ':'
        || event_type
        || ':'
        || cast(
            row_number() over (
                partition by tracking_code, event_type
                order by occurred_at, data
            ) as varchar
        ) as entry_id,
        occurred_at as posted_at,
        'escrow' as product,
        tracking_code as record_id,
        'Held for others: ' || replace(event_type, '_', ' ') as narration,
        held_rial,
    from escrow_moves

),

against_suspense as (

    select * from openings
    union all
    select * from explained
    union all
    select * from under_way
    union all
    select * from over_first
    union all
    select * from unexplained

),

-- each entry is read once: a branch for each leg would hold all of them meanwhile
sides as (

    select 'wallet' as side
    union all
    select 'fees' as side
    union all
    select 'counterpart' as side
    union all
    select 'suspense' as side

),

legs as (

    select
        reckoned.entry_id,
        reckoned.posted_at,
        reckoned.business_date,
        reckoned.product,
        reckoned.record_id,
        reckoned.narration,
        case sides.side
            when 'wallet' then 'assets:wallet'
            when 'fees' then 'expenses:fees:' || reckoned.product
            when 'counterpart' then reckoned.counterpart
            else 'suspense:' || reckoned.product
        end as account,
        case sides.side
            when 'wallet' then reckoned.effect_rial
            when 'fees' then reckoned.wage_rial
            when 'counterpart' then -reckoned.given_rial
            else reckoned.given_rial - reckoned.wage_rial - reckoned.effect_rial
        end as leg_rial,
    from reckoned
    cross join sides
    union all
    select
        entry_id,
        posted_at,
        cast(null as date) as business_date,
        product,
        record_id,
        narration,
        'assets:wallet' as account,
        effect_rial as leg_rial,
    from against_suspense
    union all
    select
        entry_id,
        posted_at,
        cast(null as date) as business_date,
        product,
        record_id,
        narration,
        counterpart as account,
        -effect_rial as leg_rial,
    from against_suspense
    union all
    select
        entry_id,
        posted_at,
        cast(null as date) as business_date,
        product,
        record_id,
        narration,
        'memo:escrow:held' as account,
        held_rial as leg_rial,
    from escrow
    union all
    select
        entry_id,
        posted_at,
        cast(null as date) as business_date,
        product,
        record_id,
        narration,
        'memo:escrow:parties' as account,
        -held_rial as leg_rial,
    from escrow

),

final as (

    select
        legs.entry_id,
        legs.posted_at,
        case
            when legs.business_date is not null then legs.business_date
            when legs.posted_at < cast('0001-01-02 00:00:00+00' as timestamptz)
                then cast('0001-01-01' as date)
            when legs.posted_at < cast('9999-12-31 00:00:00+00' as timestamptz)
                then cast(
                    legs.posted_at at time zone settings.timezone as date
                )
            when legs.posted_at is not null then cast('9999-12-31' as date)
        end as business_date,
        legs.account,
        case when legs.leg_rial > 0 then legs.leg_rial else 0 end as debit,
        case when legs.leg_rial < 0 then -legs.leg_rial else 0 end as credit,
        'IRR' as currency,
        legs.product,
        legs.record_id,
        legs.narration,
    from legs
    cross join settings
    where legs.leg_rial <> 0

)

select * from final
