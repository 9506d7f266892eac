-- finds: a deposit request that ended without a clear answer (5xx, time-out,
--   cut connection), and of which no entry is known since.
-- why: the money may have left the bank account; sending the request again may
--   take it twice.
-- do: look at the bank account before anything is sent again; then import the
--   entries that the provider shows for this track_id.
-- severity: critical
-- product: cash_in
-- record: track_id
-- source: document 2, Errors, A (500).

with

deposits as (

    select * from stg_cash_in__deposits

),

entries as (

    select * from int_deposit_entries

),

unanswered as (

    select
        *,
        nullif(trim(track_id), '') as request_id,
        coalesce(requested_amount_rial, amount_rial) as asked_rial,
    from deposits
    where outcome = 'unknown'

),

final as (

    select
        coalesce(
            unanswered.request_id,
            unanswered.gateway_transaction_id,
            'request of '
            || unanswered.pull_id
            || '#'
            || coalesce(cast(unanswered.position as varchar), '')
        ) as record_id,
        unanswered.gateway_transaction_id as related_id,
        unanswered.requested_at as occurred_at,
        unanswered.asked_rial as expected,
        cast(null as bigint) as actual,
        'The request of {'
        || coalesce(
            cast(unanswered.asked_rial as varchar), 'an unknown amount'
        )
        || '} ended without a clear answer.' as detail,
    from unanswered
    anti join entries
        on unanswered.request_id = entries.track_id
    qualify row_number() over (
        partition by coalesce(
            unanswered.request_id,
            unanswered.gateway_transaction_id,
            unanswered.pull_id
            || '#'
            || coalesce(cast(unanswered.position as varchar), '')
        )
        order by
            unanswered.requested_at,
            unanswered.gateway_transaction_id,
            unanswered.pull_id,
            unanswered.page_no,
            unanswered.position
    ) = 1

)

select * from final
