-- One row an adjustment, a deposit or a debit of the bank that no check holds against
-- the bank, though it may be money. In rials. `why`: `kind`, adjustments that took money
-- out and did not come to the bank, whose kind (`name`) is none of a settlement, though
-- others of it came, or none is of a settlement at all; `untraced`, deposits without
-- what a debit of the bank is found by; `unnamed`, debits without a deposit on accounts
-- that deposits came from, where no word names the provider, or none that a debit of the
-- account has: not even those that are a deposit's.

with

settings as (

    select * from stg_settings

),

settlements as (

    select * from int_settlements

),

settlement_matches as (

    select * from int_settlement_matches

),

entries as (

    select * from int_deposit_entries

),

debits as (

    select * from int_bank_debits

),

claims as (

    select distinct iban
    from int_bank_claims

),

served as (

    select distinct debit_id
    from int_bank_pairs

),

wallets as (

    select * from int_wallet_ibans

),

names as (

    select count(*) as row_count
    from stg_provider_names

),

named as (

    select distinct iban
    from debits
    where is_provider_named

),

-- no word is found where it should be
nameless as (

    select distinct debits.iban
    from debits
    semi join served
        on debits.debit_id = served.debit_id
    anti join named
        on debits.iban = named.iban

),

bank_ends as (

    select * from int_bank_ends

),

kinds as (

    select
        settlements.kind,
        count(*) filter (where settlement_matches.settlement_id is not null)
            as match_count,
    from settlements
    left join settlement_matches
        on settlements.settlement_id = settlement_matches.settlement_id
    group by settlements.kind

),

recognised as (

    select count(*) as row_count
    from settlements
    where is_settlement

),

of_kind as (

    select
        'kind' as why,
        'adjustments' as subject,
        settlements.kind as name,
        settlements.settled_at as occurred_at,
        settlements.settled_rial as amount_rial,
    from settlements
    inner join kinds
        on settlements.kind = kinds.kind
    cross join recognised
    cross join bank_ends
    cross join settings
    anti join settlement_matches
        on settlements.settlement_id = settlement_matches.settlement_id
    where
        not settlements.is_settlement
        -- these are named as what may have paid somebody else, or nobody
        and settlements.kind_letters not in (
            'withdrawal', 'correction', 'برداشت', 'اصلاح', 'اصلاحیه'
        )
        and (kinds.match_count > 0 or recognised.row_count = 0)
        and cast(settlements.settled_at at time zone settings.timezone as date)
        >= bank_ends.first_date
        and cast(settlements.until_at at time zone settings.timezone as date)
        <= bank_ends.last_date
        and settlements.until_at < settings.as_of

),

untraced as (

    select
        'untraced' as why,
        'deposits' as subject,
        '' as name,
        entries.occurred_at,
        entries.amount_rial,
    from entries
    cross join bank_ends
    cross join settings
    where
        bank_ends.first_date is not null
        and entries.is_counted
        and (
            entries.iban is null
            or entries.requested_at is null
            or entries.requested_at > settings.as_of + interval 1 day
            or entries.track_id is null
        )

),

unnamed as (

    select
        'unnamed' as why,
        'debits' as subject,
        '' as name,
        debits.booked_at as occurred_at,
        debits.debit_rial as amount_rial,
    from debits
    semi join claims
        on debits.iban = claims.iban
    cross join names
    left join nameless
        on debits.iban = nameless.iban
    anti join served
        on debits.debit_id = served.debit_id
    anti join wallets
        on debits.iban = wallets.wallet
    where
        names.row_count = 0
        or nameless.iban is not null

),

final as (

    select * from of_kind
    union all
    select * from untraced
    union all
    select * from unnamed

)

select * from final
