-- One row a kind of the business's own files, what would be compared with it, and a
-- business date: how much of that no file of the kind covers, so that no check speaks
-- of it. In rials. Paid records (`records`) on dates before or after those of the
-- books; deposits and settlements that no statement of the bank covers, and whose time
-- to be booked is over (those beside a gap between two statements are in
-- int_bank_undecided); wages for which the tariff has no line. What is less than 36
-- hours old may be in the next file, and is left out; of a kind without any file there
-- are no rows.
-- kept: the summary, the page and the message read it.

with

coverage as (

    select * from report_coverage

),

settings as (

    select * from stg_settings

),

book_ends as (

    select * from int_book_ends

),

records as (

    select * from int_provider_records

),

claims as (

    select * from int_bank_claims

),

covered_claims as (

    select * from int_bank_covered_claims

),

settlements as (

    select * from int_settlements

),

settled as (

    select * from report_settlements
    where status <> 'awaited'

),

undecided as (

    select * from int_bank_undecided
    where kind = 'settlement'

),

wages as (

    select * from int_wages

),

-- a date that the books cover may have records outside of its orders' times
unbooked as (

    select
        'books' as kind,
        'records' as subject,
        records.occurred_at,
        records.sent_amount_rial as amount_rial,
    from records
    cross join book_ends
    where
        records.is_paid
        and book_ends.order_count > 0
        and (
            book_ends.first_at is null
            or records.occurred_at < book_ends.first_at
            or records.occurred_at > book_ends.last_at
        )

),

unclaimed as (

    select
        'bank_statement' as kind,
        'deposits' as subject,
        claims.requested_at as occurred_at,
        claims.claim_rial as amount_rial,
    from claims
    cross join settings
    anti join covered_claims
        on claims.claim_id = covered_claims.claim_id
    where
        claims.track_id is not null
        and claims.until_at < settings.as_of

),

unsettled as (

    select
        'bank_statement' as kind,
        'settlements' as subject,
        settlements.settled_at as occurred_at,
        settlements.settled_rial as amount_rial,
    from settlements
    cross join settings
    anti join settled
        on settlements.settlement_id = settled.settlement_id
    anti join undecided
        on settlements.settlement_id = undecided.item_id
    where
        settlements.is_settlement
        and settlements.until_at < settings.as_of

),

unrated as (

    select
        'tariff' as kind,
        'wages' as subject,
        occurred_at,
        wage_rial as amount_rial,
    from wages
    where
        not has_tariff
        and wage_rial <> 0

),

found as (

    select * from unbooked
    union all
    select * from unclaimed
    union all
    select * from unsettled
    union all
    select * from unrated

),

dated as (

    select
        found.kind,
        found.subject,
        found.amount_rial,
        case
            when found.occurred_at < cast('0001-01-02 00:00:00+00' as timestamptz)
                then cast('0001-01-01' as date)
            when found.occurred_at < cast('9999-12-31 00:00:00+00' as timestamptz)
                then cast(
                    found.occurred_at at time zone settings.timezone as date
                )
            when found.occurred_at is not null then cast('9999-12-31' as date)
        end as business_date,
    from found
    cross join settings
    where found.occurred_at < settings.as_of - interval 36 hour

),

final as (

    select
        dated.kind,
        dated.subject,
        dated.business_date,
        count(*) as count,
        cast(coalesce(sum(dated.amount_rial), 0) as bigint) as amount,
    from dated
    inner join coverage
        on dated.kind = coverage.kind
    where
        coverage.row_count > 0
        and (
            dated.kind <> 'books'
            or coverage.first_date is null
            or dated.business_date < coverage.first_date
            or dated.business_date > coverage.last_date
        )
    group by dated.kind, dated.subject, dated.business_date

)

select * from final
