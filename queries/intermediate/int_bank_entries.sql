-- One row a deposit entry and the debit that it should have caused by itself. In
-- rials. The window is from the request to three days after. One
-- gateway_transaction_id is one deposit, under however many track_ids.

with

entries as (

    select *
    from int_deposit_entries
    where
        iban is not null
        and requested_at is not null
    qualify row_number() over (
        partition by record_id
        order by requested_at, track_id, pull_id, page_no, position
    ) = 1

),

settings as (

    select * from stg_settings

),

final as (

    select
        entries.track_id,
        entries.record_id,
        entries.iban,
        entries.requested_at,
        entries.requested_at + interval 3 day as until_at,
        entries.amount_rial
        + case
            when settings.wage_from = 'bank' then coalesce(entries.wage_rial, 0)
            else 0
        end as claim_rial,
    from entries
    cross join settings

)

select * from final
