-- finds: an amount, wage, affected amount or final status that changed after
--   the record was final: done, paid, SUCCEED, FAILED, gateway code 2 and 4; or
--   a card transaction that was verified and has failed since (code 4); or a
--   done payment that its checkout no longer lists, unless that is paid and now
--   without any.
-- why: what was reported, booked and perhaps paid out rests on figures that are
--   no longer the provider's.
-- do: compare the two stored answers, ask the provider why, and correct the
--   books of that day.
-- severity: critical
-- product: every
-- record: payment id, checkout id, gateway token, hosted id
-- source: document 3, Payment and Checkout (status); document 2, States and
--   transitions, B and C.

with

versions as (

    select * from int_record_versions

),

checkouts as (

    select * from stg_unified__uneven_checkouts

),

payments as (

    select * from int_sought_payments

),

unlisted as (

    select * from stg_unified__unlisted_payments

),

gateway_payments as (

    select * from int_gateway_payments

),

finals as (

    select *
    from versions
    where is_final
    qualify row_number() over (
        partition by product, kind, record_id
        order by version
    ) = 1

),

-- the newest later version that differs from the first final one
changes as (

    select
        finals.product,
        finals.kind,
        finals.record_id,
        finals.related_id,
        finals.occurred_at,
        finals.amount_rial as amount_before,
        finals.wage_rial as wage_before,
        finals.affected_rial as affected_before,
        finals.status as status_before,
        versions.amount_rial as amount_after,
        versions.wage_rial as wage_after,
        versions.affected_rial as affected_after,
        versions.status as status_after,
    from finals
    inner join versions
        on
            finals.product = versions.product
            and finals.kind = versions.kind
            and finals.record_id = versions.record_id
            and finals.version < versions.version
    where
        finals.amount_rial is distinct from versions.amount_rial
        or finals.wage_rial is distinct from versions.wage_rial
        or finals.affected_rial is distinct from versions.affected_rial
        or finals.status is distinct from versions.status
    qualify row_number() over (
        partition by finals.product, finals.kind, finals.record_id
        order by versions.version desc
    ) = 1

),

shown as (

    select
        *,
        case
            when amount_before is distinct from amount_after then 'amount'
            when affected_before is distinct from affected_after
                then 'affected amount'
            when wage_before is distinct from wage_after then 'wage'
            else 'status'
        end as changed,
    from changes

),

figures as (

    select
        *,
        case changed
            when 'amount' then amount_before
            when 'affected amount' then affected_before
            when 'wage' then wage_before
        end as figure_before,
        case changed
            when 'amount' then amount_after
            when 'affected amount' then affected_after
            when 'wage' then wage_after
        end as figure_after,
    from shown

),

-- a checkout that is paid without any payment has a check of its own
dropped as (

    select
        payments.payment_id,
        payments.checkout_id,
        coalesce(payments.paid_at, payments.created_at) as occurred_at,
        payments.affected_rial,
    from payments
    semi join unlisted
        on payments.payment_id = unlisted.payment_id
    inner join checkouts
        on payments.checkout_id = checkouts.checkout_id
    where
        payments.status = 'done'
        and checkouts.is_known
        and (
            checkouts.done_count > 0
            or checkouts.status is distinct from 'paid'
        )

),

-- a verify answer confirms, though no look-up saw the transaction confirmed
failed as (

    select
        token,
        trans_id,
        occurred_at,
    from gateway_payments
    where
        is_verified
        and code = 4
        and coalesce(looked_up_at >= verified_at, true)

),

told as (

    select
        product,
        kind,
        record_id,
        related_id,
        occurred_at,
        figure_before as expected,
        figure_after as actual,
        'The '
        || changed
        || ' of the '
        || kind
        || ' was '
        || coalesce(
            case
                when changed = 'status' then status_before
                else '{' || cast(figure_before as varchar) || '}'
            end,
            'unknown'
        )
        || ' when it was final and became '
        || coalesce(
            case
                when changed = 'status' then status_after
                else '{' || cast(figure_after as varchar) || '}'
            end,
            'unknown'
        )
        || case
            when
                changed <> 'status'
                and status_before is distinct from status_after
                then ', its status ' || coalesce(status_after, 'unknown')
            else ''
        end
        || '.' as detail,
    from figures
    union all
    select
        'unified' as product,
        'payment' as kind,
        payment_id as record_id,
        checkout_id as related_id,
        occurred_at,
        affected_rial as expected,
        cast(0 as bigint) as actual,
        'The payment was done, and its checkout no longer lists it.' as detail,
    from dropped
    anti join figures
        on
            figures.kind = 'payment'
            and dropped.payment_id = figures.record_id
    union all
    select
        'gateway' as product,
        'transaction' as kind,
        token as record_id,
        trans_id as related_id,
        occurred_at,
        cast(null as bigint) as expected,
        cast(null as bigint) as actual,
        'The transaction was verified, and its code became 4: it failed.'
        as detail,
    from failed
    anti join figures
        on
            figures.kind = 'transaction'
            and failed.token = figures.record_id

),

-- one id of two kinds of record is two breaks
final as (

    select
        product,
        case
            when
                count(*) over (partition by product, record_id) > 1
                then kind || ':' || record_id
            else record_id
        end as record_id,
        related_id,
        occurred_at,
        expected,
        actual,
        detail,
    from told

)

select * from final
