-- One row an adjustment that took money out of the wallet and the bank's credit that
-- it became; or a settlement without a credit, or a credit that names the provider and
-- that no adjustment accounts for. In rials. `status`: `matched`; `awaited` (no
-- statement may show it yet, or one between two of an account may), `missing`
-- (statements cover the days that it may take: of every account whose last one ends
-- within 35 days of T), `unexplained`. Adjustments of another kind have a row only
-- where a credit matches; those of before the first statement have none.
-- kept: a night's reports and its summary ask for it, each by itself.

with

credits as (

    select * from int_bank_credits

),

matches as (

    select * from int_settlement_matches

),

settlements as (

    select * from int_settlements

),

settings as (

    select * from stg_settings

),

coverage as (

    select * from int_bank_ends

),

unmatched as (

    select
        settlements.*,
        cast(settlements.settled_at at time zone settings.timezone as date)
            as settled_date,
        cast(settlements.until_at at time zone settings.timezone as date)
            as until_date,
        settings.as_of > settlements.until_at as is_over,
    from settlements
    cross join settings
    anti join matches
        on settlements.settlement_id = matches.settlement_id
    where settlements.is_settlement

),

undecided as (

    select distinct item_id
    from int_bank_undecided
    where kind = 'settlement'

),

together as (

    select
        settlements.settlement_id,
        credits.iban,
        settlements.settled_rial as amount_rial,
        'matched' as status,
        settlements.kind,
        settlements.description,
        settlements.settled_at,
        credits.booked_at,
    from matches
    inner join settlements
        on matches.settlement_id = settlements.settlement_id
    inner join credits
        on matches.credit_id = credits.credit_id
    union all
    select
        unmatched.settlement_id,
        cast(null as varchar) as iban,
        unmatched.settled_rial as amount_rial,
        case
            when
                unmatched.is_over
                and unmatched.until_date <= coverage.last_date
                and undecided.item_id is null
                then 'missing'
            else 'awaited'
        end as status,
        unmatched.kind,
        unmatched.description,
        unmatched.settled_at,
        cast(null as timestamptz) as booked_at,
    from unmatched
    inner join coverage
        on unmatched.settled_date >= coverage.first_date
    left join undecided
        on unmatched.settlement_id = undecided.item_id
    union all
    select
        cast(null as varchar) as settlement_id,
        credits.iban,
        credits.credit_rial as amount_rial,
        'unexplained' as status,
        cast(null as varchar) as kind,
        cast(null as varchar) as description,
        cast(null as timestamptz) as settled_at,
        credits.booked_at,
    from credits
    anti join matches
        on credits.credit_id = matches.credit_id
    where credits.is_provider_named

),

dated as (

    select
        *,
        coalesce(settled_at, booked_at) as occurred_at,
    from together

),

final as (

    select
        case
            when dated.occurred_at < cast('0001-01-02 00:00:00+00' as timestamptz)
                then cast('0001-01-01' as date)
            when dated.occurred_at < cast('9999-12-31 00:00:00+00' as timestamptz)
                then cast(
                    dated.occurred_at at time zone settings.timezone as date
                )
            when dated.occurred_at is not null then cast('9999-12-31' as date)
        end as business_date,
        dated.settlement_id,
        dated.iban,
        dated.amount_rial as amount,
        dated.status,
        dated.kind,
        dated.description,
        dated.settled_at,
        dated.booked_at,
    from dated
    cross join settings

)

select * from final
