-- One row a deposit entry as it stands in a list or file. Amounts in rials. A
-- request of unknown outcome is no entry. `record_id` is the entry's own id, or
-- its place under its track_id where it has none. A `gateway_transaction_id` is one
-- deposit, under however many `track_id`s it stands: one of its rows `is_counted`, a
-- settled one if there is any.

with

deposits as (

    select * from stg_cash_in__deposits

),

entries as (

    select
        nullif(trim(track_id), '') as track_id,
        nullif(trim(gateway_transaction_id), '') as gateway_transaction_id,
        amount_rial,
        amount_toman,
        wage_rial,
        wage_toman,
        wage_from,
        status,
        nullif(upper(replace(iban, ' ', '')), '') as iban,
        requested_at,
        settled_at,
        requested_amount_rial,
        is_settled,
        deposit_id,
        page_no,
        position,
        pull_id,
        seen_at,
    from deposits
    where outcome <> 'unknown'

),

final as (

    select
        *,
        coalesce(
            gateway_transaction_id,
            coalesce(track_id, 'no track_id')
            || '#'
            || cast(
                row_number() over (
                    partition by track_id, gateway_transaction_id
                    order by pull_id, page_no, position
                ) as varchar
            )
        ) as record_id,
        coalesce(requested_at, settled_at) as occurred_at,
        row_number() over (
            partition by deposit_id
            order by
                is_settled desc,
                requested_at nulls last,
                track_id,
                pull_id,
                page_no,
                position
        ) = 1 as is_counted,
    from entries

)

select * from final
