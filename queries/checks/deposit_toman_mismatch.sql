-- finds: a deposit entry whose amount is not ten times amount_toman, or whose
--   wage is not ten times wage_toman, or which has only one of a pair.
-- why: one of the two is read in the wrong unit somewhere, by a factor of ten.
-- do: compare with the bank receipt of the entry, and tell the provider which
--   figure is wrong.
-- severity: error
-- product: cash_in
-- record: gateway_transaction_id
-- source: document 2, Resources and their fields, A. Deposit entry.

with

entries as (

    select * from int_deposit_entries

),

-- divided, not multiplied: ten times a toman may leave 64 bits
compared as (

    select
        *,
        coalesce(
            amount_rial // 10 <> amount_toman or amount_rial % 10 <> 0,
            (amount_rial is null) <> (amount_toman is null)
        ) as is_amount_wrong,
        coalesce(
            wage_rial // 10 <> wage_toman or wage_rial % 10 <> 0,
            (wage_rial is null) <> (wage_toman is null)
        ) as is_wage_wrong,
    from entries

),

shown as (

    select
        *,
        case when is_amount_wrong then 'amount' else 'wage' end as figure,
        case when is_amount_wrong then amount_rial else wage_rial end
            as figure_rial,
        case when is_amount_wrong then amount_toman else wage_toman end
            as figure_toman,
    from compared
    where is_amount_wrong or is_wage_wrong
    qualify row_number() over (
        partition by record_id
        order by track_id, pull_id, page_no, position
    ) = 1

),

final as (

    select
        record_id,
        track_id as related_id,
        occurred_at,
        case
            when abs(figure_toman) < 900000000000000000 then figure_toman * 10
        end as expected,
        figure_rial as actual,
        'The '
        || figure
        || ' is {'
        || coalesce(cast(figure_rial as varchar), 'an unknown number of')
        || '} rials and {'
        || coalesce(cast(figure_toman as varchar), 'an unknown number of')
        || '} toman.' as detail,
    from shown

)

select * from final
