-- One row a claim on a debit whose day lies within the statements of the account:
-- whether a debit serves it, whether the days that one may take are over, and whether
-- one of them lies between two statements, so that the debit may be in a third. In
-- rials. One without a track_id names no request that could lack a debit, and is left
-- out.

with

claims as (

    select * from int_bank_final_claims

),

served as (

    select distinct claim_id from int_bank_pairs

),

statements as (

    select * from stg_business__bank_statements

),

settings as (

    select * from stg_settings

),

coverage as (

    select
        iban,
        min(first_date) as first_date,
        max(last_date) as last_date,
    from statements
    group by iban

),

gaps as (

    select * from int_bank_gaps

),

dated as (

    select
        claims.*,
        cast(claims.requested_at at time zone settings.timezone as date)
            as requested_date,
        cast(claims.until_at at time zone settings.timezone as date)
            as until_date,
        settings.as_of > claims.until_at as is_over,
    from claims
    cross join settings

),

beside_gaps as (

    select distinct dated.claim_id
    from dated
    inner join gaps
        on
            dated.iban = gaps.iban
            and dated.requested_date < gaps.before_date
            and dated.until_date > gaps.after_date

),

final as (

    select
        dated.*,
        served.claim_id is not null as is_served,
        beside_gaps.claim_id is not null as is_in_gap,
    from dated
    inner join coverage
        on dated.iban = coverage.iban
    left join beside_gaps
        on dated.claim_id = beside_gaps.claim_id
    left join served
        on dated.claim_id = served.claim_id
    where
        dated.track_id is not null
        and dated.requested_date between coverage.first_date and coverage.last_date

)

select * from final
