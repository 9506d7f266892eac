-- One row why no check judges records of the provider, or adjustments, that may be
-- money, what they are, and a business date. In rials. `why`: `status`, the contract
-- does not show it, and it says neither paid nor unpaid (`name`); `refused`, the
-- provider refused each token or id of the product that was ever asked for; `unasked`,
-- the books have it as paid, and nobody asked the provider for it; `denied`, the
-- business kept an answer of verify, and the provider says that the data are wrong;
-- `untimed`, as in int_wallet_untimed; `taken`, a payment or deposit that took money
-- from the wallet, by an amount below zero or a wage above it (`name` is the product);
-- `chance`, an interval of the wallet as in int_wallet_rests; others as in
-- int_bank_unjudged and int_escrow_unjudged. Unknown: how long a buyer's money waits in
-- a state that is not shown; 35 days are taken to be long. Whoever knows the business's
-- name can forge what events tell: sums stop at 4 * 10^18.
-- kept: the summary, the page and the message read it.

with

settings as (

    select * from stg_settings

),

checkouts as (

    select * from int_checkout_payments

),

payments as (

    select * from int_unjudged_payments

),

gateway as (

    select * from int_gateway_payments

),

hosted as (

    select * from int_hosted_payments

),

positions as (

    select * from int_escrow_positions

),

matches as (

    select * from int_book_open_matches
    where
        confidence = 'certain'
        and book_status in ('paid', 'refunded')

),

entries as (

    select * from int_deposit_entries

),

of_bank as (

    select * from int_bank_unjudged

),

of_escrow as (

    select * from int_escrow_unjudged

),

untimed as (

    select * from int_wallet_untimed

),

coincidences as (

    select * from int_wallet_rests
    where is_coincidence

),

taking as (

    select * from int_certain_movements
    where
        effect_rial < 0
        and product <> 'wallet'

),

sent as (

    select
        'gateway_tokens' as subject,
        'gateway' as product,
        token as record_id,
        waiting_since,
        coalesce(sent_amount_rial, amount_rial) as amount_rial,
        coalesce(
            cast(code as varchar),
            case
                when contains(lower(error), 'transaction failed') then 'failed'
            end
        ) as status,
        coalesce(code in (0, 1, 2, 3, 4), true) as is_shown,
        is_looked_up,
        is_verified,
    from gateway
    union all
    select
        'hosted_checkouts' as subject,
        'hosted' as product,
        checkout_id as record_id,
        waiting_since,
        coalesce(sent_amount_rial, amount_rial) as amount_rial,
        status,
        coalesce(
            status in ('INIT', 'PENDING_VERIFY', 'SUCCEED', 'FAILED'), true
        ) as is_shown,
        is_inquired as is_looked_up,
        false as is_verified,
    from hosted

),

-- a day and a half: the next night may ask for it
waiting as (

    select sent.*
    from sent
    cross join settings
    where
        not sent.is_verified
        and sent.status is null
        and sent.waiting_since < settings.as_of - interval 36 hour

),

answered as (

    select distinct product
    from sent
    where status is not null

),

of_status as (

    select
        'status' as why,
        'checkouts' as subject,
        status as name,
        occurred_at,
        known_amount_rial as amount_rial,
    from checkouts
    where
        done_count > 0
        and status not in ('paid', 'not_paid')
    union all
    select
        'status' as why,
        'payments' as subject,
        status as name,
        occurred_at,
        amount_rial,
    from payments
    union all
    select
        'status' as why,
        subject,
        status as name,
        waiting_since as occurred_at,
        amount_rial,
    from sent
    where
        not is_shown
        and not is_verified
    union all
    select
        'status' as why,
        'agreements' as subject,
        positions.state as name,
        coalesce(positions.paid_by, positions.last_out_at) as occurred_at,
        coalesce(positions.paid_rial, positions.amount_rial)
        - positions.refunded_rial
        - positions.paid_out_rial as amount_rial,
    from positions
    cross join settings
    where
        positions.is_out_known
        and not positions.is_finalized
        and not positions.is_cancelled
        and positions.state not in ('draft', 'contract', 'investigation')
        and coalesce(positions.paid_rial, positions.amount_rial)
        > positions.refunded_rial + positions.paid_out_rial
        and coalesce(positions.paid_by, positions.last_out_at)
        < settings.as_of - interval 35 day

),

-- one with a word of its own is in the setting, or told as unlisted; the setting has
-- none with a space at an end
without_status as (

    select
        'status' as why,
        'deposits' as subject,
        coalesce(trim(status), '') as name,
        occurred_at,
        amount_rial,
    from entries
    where
        is_counted
        and not is_settled
        and (
            coalesce(trim(status), '') = ''
            or status <> trim(status)
        )

),

of_asking as (

    select
        'refused' as why,
        waiting.subject,
        '' as name,
        waiting.waiting_since as occurred_at,
        waiting.amount_rial,
    from waiting
    anti join answered
        on waiting.product = answered.product
    where waiting.is_looked_up
    union all
    select
        'unasked' as why,
        waiting.subject,
        '' as name,
        waiting.waiting_since as occurred_at,
        waiting.amount_rial,
    from waiting
    semi join matches
        on
            waiting.product = matches.product
            and waiting.record_id = matches.record_id
    where not waiting.is_looked_up
    union all
    select
        'denied' as why,
        sent.subject,
        sent.status as name,
        sent.waiting_since as occurred_at,
        sent.amount_rial,
    from sent
    cross join settings
    where
        sent.is_verified
        and sent.status = '0'
        and sent.waiting_since < settings.as_of - interval 36 hour

),

of_wallet as (

    select
        'untimed' as why,
        case when effect_rial < 0 then 'outflows' else 'inflows' end as subject,
        product as name,
        begun_at as occurred_at,
        abs(effect_rial) as amount_rial,
    from untimed
    union all
    select
        'taken' as why,
        'outflows' as subject,
        product as name,
        occurred_at,
        -effect_rial as amount_rial,
    from taking
    union all
    select
        'chance' as why,
        'intervals' as subject,
        '' as name,
        posted_at as occurred_at,
        abs(explained_rial) as amount_rial,
    from coincidences

),

found as (

    select * from of_status
    union all
    select * from without_status
    union all
    select * from of_asking
    union all
    select * from of_bank
    union all
    select * from of_escrow
    union all
    select * from of_wallet

),

dated as (

    select
        found.why,
        found.subject,
        found.name,
        found.amount_rial,
        case
            when found.occurred_at < cast('0001-01-02 00:00:00+00' as timestamptz)
                then cast('0001-01-01' as date)
            when found.occurred_at < cast('9999-12-31 00:00:00+00' as timestamptz)
                then cast(
                    found.occurred_at at time zone settings.timezone as date
                )
            when found.occurred_at is not null then cast('9999-12-31' as date)
        end as business_date,
    from found
    cross join settings

),

final as (

    select
        why,
        subject,
        name,
        business_date,
        count(*) as count,
        cast(
            case
                when sum(amount_rial) > 4000000000000000000
                    then 4000000000000000000
                else coalesce(sum(amount_rial), 0)
            end as bigint
        ) as amount,
    from dated
    group by why, subject, name, business_date

)

select * from final
