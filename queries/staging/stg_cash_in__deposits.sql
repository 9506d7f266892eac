-- One row a deposit entry, or a request of unknown outcome. Amounts in rials.
-- An import's newest file holds all rows of a key; a list or the journal one version.

with

versions as (

    select * from raw_deposits

),

settled_statuses as (

    select * from stg_settled_statuses

),

newest as (

    select *
    from versions
    qualify dense_rank() over (
        partition by track_id, gateway_transaction_id
        order by pull_id desc, page_no desc
    ) = 1

),

final as (

    select
        newest.track_id,
        newest.gateway_transaction_id,
        newest.amount as amount_rial,
        newest.amount_toman,
        newest.wage as wage_rial,
        newest.wage_toman,
        newest.status,
        newest.iban,
        newest.receipt_url,
        newest.requested_at,
        newest.settled_at,
        newest.requested_amount as requested_amount_rial,
        coalesce(newest.outcome, '') as outcome,
        newest.origin,
        settled_statuses.status is not null as is_settled,
        newest.pull_id,
        newest.page_no,
        newest.position,
        newest.seen_at,
    from newest
    left join settled_statuses
        on newest.status = settled_statuses.status

)

select * from final
