-- finds: one deposit entry above 1,000,000,000 rials.
-- why: larger requests are split; an entry above the limit was never a single
--   bank transfer, or its amount is in the wrong unit.
-- do: compare with the bank statement, and ask the provider for the split.
-- severity: error
-- product: cash_in
-- record: gateway_transaction_id
-- source: document 2, Limits (cash-in single entry).

with

entries as (

    select * from int_deposit_entries

),

final as (

    select
        record_id,
        track_id as related_id,
        occurred_at,
        cast(1000000000 as bigint) as expected,
        amount_rial as actual,
        'The entry of {'
        || cast(amount_rial as varchar)
        || '} is above the limit of 1,000,000,000.' as detail,
    from entries
    where amount_rial > 1000000000
    qualify row_number() over (
        partition by record_id
        order by amount_rial desc, track_id, occurred_at
    ) = 1

)

select * from final
