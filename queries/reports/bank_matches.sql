-- One row a debit of a bank account and the deposit that caused it; or a deposit whose
-- debit no statement has, or a debit that names the provider and that no deposit
-- accounts for. In rials. `status`: `matched`; `awaited` (the bank may yet book it, or
-- may have between two statements), `missing` and `unexplained` (what
-- bank_debit_missing and bank_debit_unexplained find). A debit for all entries of a
-- request names each, one for an entry that one. Days that no statement covers, and
-- debits of other things, are left out.

with

claims as (

    select * from int_bank_final_claims

),

covered as (

    select * from int_bank_covered_claims

),

debits as (

    select * from int_bank_debits

),

matches as (

    select * from int_bank_pairs

),

unexplained as (

    select * from int_bank_unexplained_debits

),

settings as (

    select * from stg_settings

),

together as (

    select
        debits.iban,
        debits.debit_rial as amount_rial,
        'matched' as status,
        claims.track_id,
        claims.record_ids,
        claims.requested_at,
        debits.booked_at,
    from matches
    inner join claims
        on matches.claim_id = claims.claim_id
    inner join debits
        on matches.debit_id = debits.debit_id
    union all
    select
        iban,
        claim_rial as amount_rial,
        case
            when is_over and not is_in_gap then 'missing'
            else 'awaited'
        end as status,
        track_id,
        record_ids,
        requested_at,
        cast(null as timestamptz) as booked_at,
    from covered
    where not is_served
    union all
    select
        iban,
        debit_rial as amount_rial,
        'unexplained' as status,
        cast(null as varchar) as track_id,
        cast(null as varchar) as record_ids,
        cast(null as timestamptz) as requested_at,
        booked_at,
    from unexplained

),

dated as (

    select
        *,
        coalesce(booked_at, requested_at) as occurred_at,
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
        dated.iban,
        dated.amount_rial as amount,
        dated.status,
        dated.track_id,
        dated.record_ids,
        dated.requested_at,
        dated.booked_at,
    from dated
    cross join settings

)

select * from final
