-- finds: one gateway_transaction_id under two or more track_ids.
-- why: one deposit stands for two requests; either the wallet or the bank
--   account is counted wrong.
-- do: see in the bank statement how often the money left, and ask the provider
--   which request the deposit belongs to.
-- severity: critical
-- product: cash_in
-- record: gateway_transaction_id
-- source: document 2, Resources and their fields, A. Deposit entry.

with

entries as (

    select * from int_deposit_entries

),

deposits as (

    select
        gateway_transaction_id,
        count(distinct track_id) as track_count,
        max(amount_rial) as amount_rial,
        array_to_string(list_sort(list_distinct(list(track_id))), ' ')
            as track_ids,
        max(occurred_at) as occurred_at,
    from entries
    where
        gateway_transaction_id is not null
        and track_id is not null
    group by gateway_transaction_id

),

final as (

    select
        gateway_transaction_id as record_id,
        track_ids as related_id,
        occurred_at,
        cast(null as bigint) as expected,
        cast(null as bigint) as actual,
        'The deposit of {'
        || coalesce(cast(amount_rial as varchar), 'an unknown amount')
        || '} stands under '
        || cast(track_count as varchar)
        || ' track_ids.' as detail,
    from deposits
    where track_count > 1

)

select * from final
