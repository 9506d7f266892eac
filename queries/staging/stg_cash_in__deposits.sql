-- One row a deposit entry, or a request of unknown outcome. Amounts in rials.
-- An import's newest file holds all rows of a key; a list or the journal one
-- version. A request of unknown outcome is answered by any entry of its
-- `track_id`, and is left out from then on, so that it counts nowhere beside
-- them. So is an entry that a list gave without a `track_id`, once it is known
-- under one. When a request was made and what it asked for is told by any row of its
-- `track_id`, where an entry says nothing of it: a list may leave it out.
-- `deposit_id` is the entry's own id, or its place where it has none.
-- `wage_from`: who pays the fee, `wallet` or `bank`, by when the deposit was made: where
-- nothing tells it, by when it was first seen.

with

versions as (

    select * from raw_deposits

),

settled_statuses as (

    select * from stg_settled_statuses

),

wage_payers as (

    select * from stg_wage_payers

),

newest as (

    select
        *,
        min(seen_at) over (
            partition by track_id, gateway_transaction_id
        ) as first_seen_at,
    from versions
    qualify dense_rank() over (
        partition by track_id, gateway_transaction_id
        order by pull_id desc, page_no desc
    ) = 1

),

answers as (

    select distinct nullif(trim(track_id), '') as request_id
    from newest
    where coalesce(outcome, '') <> 'unknown'

),

asked as (

    select
        nullif(trim(track_id), '') as request_id,
        min(requested_at) as requested_at,
        max(requested_amount) as requested_amount,
    from newest
    where nullif(trim(track_id), '') is not null
    group by nullif(trim(track_id), '')

),

tracked as (

    select distinct nullif(trim(gateway_transaction_id), '') as entry_id
    from newest
    where
        nullif(trim(track_id), '') is not null
        and coalesce(outcome, '') <> 'unknown'

),

standing as (

    select
        newest.*,
        coalesce(newest.requested_at, asked.requested_at) as asked_at,
        coalesce(newest.requested_amount, asked.requested_amount)
            as asked_rial,
        coalesce(
            newest.requested_at,
            asked.requested_at,
            newest.settled_at,
            newest.first_seen_at
        ) as priced_at,
    from newest
    left join asked
        on nullif(trim(newest.track_id), '') = asked.request_id
    left join answers
        on nullif(trim(newest.track_id), '') = answers.request_id
    left join tracked
        on
            nullif(trim(newest.track_id), '') is null
            and nullif(trim(newest.gateway_transaction_id), '')
            = tracked.entry_id
    where
        tracked.entry_id is null
        and (
            coalesce(newest.outcome, '') <> 'unknown'
            or nullif(trim(newest.gateway_transaction_id), '') is not null
            or answers.request_id is null
        )

),

final as (

    select
        standing.track_id,
        standing.gateway_transaction_id,
        standing.amount as amount_rial,
        standing.amount_toman,
        standing.wage as wage_rial,
        standing.wage_toman,
        wage_payers.wage_from,
        standing.status,
        standing.iban,
        standing.receipt_url,
        standing.asked_at as requested_at,
        standing.settled_at,
        standing.asked_rial as requested_amount_rial,
        coalesce(standing.outcome, '') as outcome,
        standing.origin,
        settled_statuses.status is not null as is_settled,
        coalesce(
            nullif(trim(standing.gateway_transaction_id), ''),
            coalesce(standing.track_id, '')
            || ':' || coalesce(standing.pull_id, '')
            || ':' || coalesce(cast(standing.page_no as varchar), '')
            || ':' || coalesce(cast(standing.position as varchar), '')
        ) as deposit_id,
        standing.pull_id,
        standing.page_no,
        standing.position,
        standing.seen_at,
    from standing
    left join settled_statuses
        on standing.status = settled_statuses.status
    left join wage_payers
        on
            standing.priced_at >= wage_payers.valid_from
            and standing.priced_at < wage_payers.valid_until

)

select * from final
