-- One row an adjustment that took money out of the wallet, in positive rials.
-- It may arrive on a bank account of the business from `from_at` to `until_at`: money
-- is up to three days on its way, and both files may give days only, at the day's
-- first instant, or the day of arrival for both. `is_settlement`: by its kind it has
-- to, whose letters alone count (`kind_letters`); a withdrawal may have paid somebody
-- else.

with

adjustments as (

    select * from stg_business__adjustments

),

lettered as (

    select
        *,
        coalesce(
            translate(
                regexp_replace(
                    lower(kind), '[\p{Z}\p{Mn}\p{Cf}\x{640}]', '', 'g'
                ),
                'يىك',
                'ییک'
            ),
            ''
        ) as kind_letters,
    from adjustments

),

final as (

    select
        coalesce(record_hash, '') || ':' || cast(nth as varchar)
            as settlement_id,
        occurred_at as settled_at,
        occurred_at - interval 1 day as from_at,
        occurred_at + interval 4 day as until_at,
        -amount_rial as settled_rial,
        kind,
        description,
        kind_letters,
        kind_letters in ('settlement', 'settlements', 'تسویه', 'تسویهحساب')
            as is_settlement,
    from lettered
    where amount_rial < 0

)

select * from final
