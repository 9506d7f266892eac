-- One row a claim on a debit whose day a statement of the account covers: whether a
-- debit serves it, and whether the days that one may take are over. In rials. One
-- without a track_id names no request that could lack a debit, and is left out.

with

claims as (

    select * from int_bank_claims

),

served as (

    select distinct claim_id from int_bank_matches

),

entries as (

    select * from stg_business__bank_entries

),

settings as (

    select * from stg_settings

),

coverage as (

    select
        upper(replace(entries.iban, ' ', '')) as iban,
        min(cast(entries.booked_at at time zone settings.timezone as date))
            as first_date,
        max(cast(entries.booked_at at time zone settings.timezone as date))
            as last_date,
    from entries
    cross join settings
    group by upper(replace(entries.iban, ' ', ''))

),

final as (

    select
        claims.*,
        served.claim_id is not null as is_served,
        settings.as_of > claims.until_at as is_over,
    from claims
    inner join coverage
        on claims.iban = coverage.iban
    cross join settings
    left join served
        on claims.claim_id = served.claim_id
    where
        claims.track_id is not null
        and cast(claims.requested_at at time zone settings.timezone as date)
        between coverage.first_date and coverage.last_date

)

select * from final
