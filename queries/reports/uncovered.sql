-- One row a kind of the business's own files, what would be compared with it, and a
-- business date: how much of that no file of the kind covers, so that no check speaks
-- of it. In rials. Paid records (`records`) on dates before or after those of the
-- books, but those that an order has all the same; deposits and settlements that no
-- statement of the bank covers, nor has the debit or credit of, and whose time to be
-- booked is over (those beside a gap between two statements are in int_bank_undecided);
-- wages for which the tariff has no line. What is less than 36 hours old may be in the
-- next file, and is left out; of a kind without any file there are no rows. From
-- `covered_from` to `covered_to` the files reach: the statements of a deposit's account,
-- or those of every account for a settlement, and the books; null where none does, and
-- for the tariff.
-- kept: the summary, the page and the message read it.

with

coverage as (

    select * from report_coverage

),

settings as (

    select * from stg_settings

),

records as (

    select * from int_book_outer_records

),

sold as (

    select * from int_book_outer_orders

),

open_matches as (

    select * from int_book_open_matches

),

bank_ends as (

    select * from int_bank_ends

),

statements as (

    select * from stg_business__bank_statements

),

wallets as (

    select * from int_wallet_ibans

),

claims as (

    select * from int_bank_final_claims

),

covered_claims as (

    select * from int_bank_covered_claims

),

bank_matches as (

    select * from int_bank_pairs

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

accounts as (

    select
        statements.iban,
        min(statements.first_date) as covered_from,
        max(statements.last_date) as covered_to,
    from statements
    anti join wallets
        on statements.iban = wallets.wallet
    group by statements.iban

),

-- an order of another date may have it
unbooked as (

    select
        'books' as kind,
        'records' as subject,
        records.occurred_at,
        records.sent_amount_rial as amount_rial,
        records.first_date as covered_from,
        records.last_date as covered_to,
    from records
    anti join sold
        on records.first_reference = sold.reference
    anti join open_matches
        on
            records.product = open_matches.product
            and records.record_id = open_matches.record_id

),

unclaimed as (

    select
        'bank_statement' as kind,
        'deposits' as subject,
        claims.requested_at as occurred_at,
        claims.claim_rial as amount_rial,
        accounts.covered_from,
        accounts.covered_to,
    from claims
    cross join settings
    left join accounts
        on claims.iban = accounts.iban
    anti join covered_claims
        on claims.claim_id = covered_claims.claim_id
    anti join bank_matches
        on claims.claim_id = bank_matches.claim_id
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
        bank_ends.first_date as covered_from,
        bank_ends.last_date as covered_to,
    from settlements
    cross join settings
    cross join bank_ends
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
        cast(null as date) as covered_from,
        cast(null as date) as covered_to,
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
        found.covered_from,
        found.covered_to,
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
        dated.covered_from,
        dated.covered_to,
        count(*) as count,
        cast(coalesce(sum(dated.amount_rial), 0) as bigint) as amount,
    from dated
    inner join coverage
        on dated.kind = coverage.kind
    where coverage.row_count > 0
    group by
        dated.kind,
        dated.subject,
        dated.business_date,
        dated.covered_from,
        dated.covered_to

)

select * from final
