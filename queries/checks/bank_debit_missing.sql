-- finds: a deposit entry, or all entries of a track_id together, without a
--   debit on the business's bank account from the request to three days after;
--   only where a statement of the account covers the day of the request, and
--   once the three days are over. A debit that two requests could have is for
--   the one that lacks none then.
-- why: the provider counts a deposit that the bank never paid, and may take it
--   back.
-- do: look for the debit under another amount or account; then ask the provider
--   for the bank receipt of the entry.
-- severity: error
-- product: cash_in
-- record: track_id
-- source: document 2, Endpoints, A. Deposit.
-- false alarm: the statement ends within three days of the request, and the
--   bank booked the debit after it. Where another statement follows, what one
--   between them may have is not called missing; up to seven days without an
--   entry between them are taken to be quiet ones, and more where a statement
--   of the account has as many. Many at once, beside as many of
--   bank_debit_unexplained: cash_in.wage_from says the wrong side; from some
--   day on, cash_in.wage_from_since lacks that day.

with

covered as (

    select * from int_bank_covered_claims
    where
        is_over
        and (is_served or not is_in_gap)

),

requests as (

    select
        track_id,
        min(requested_at) as occurred_at,
        min(iban) as iban,
        cast(sum(claim_rial) as bigint) as claim_rial,
        cast(sum(claimed_wage_rial) as bigint) as claimed_wage_rial,
        coalesce(
            cast(
                sum(claim_rial) filter (where is_served) as bigint
            ),
            0
        ) as debit_rial,
        cast(
            sum(claim_rial) filter (where not is_served) as bigint
        ) as missing_rial,
        count(*) filter (where not is_served) as missing_count,
    from covered
    group by track_id

),

final as (

    select
        track_id as record_id,
        iban as related_id,
        occurred_at,
        claim_rial as expected,
        debit_rial as actual,
        case
            when debit_rial = 0
                then 'The statement has no debit for deposits of {'
            else
                'Debits of {'
                || cast(debit_rial as varchar)
                || '} are in the statement, the deposits ask for {'
        end
        || coalesce(cast(claim_rial as varchar), 'an unknown amount')
        || case
            when claimed_wage_rial > 0
                then
                    '}, of which {'
                    || cast(claimed_wage_rial as varchar)
                    || '} are wages, by cash_in.wage_from.'
            else '}.'
        end
        || case
            when debit_rial > 0
                then
                    ' No debit is there for {'
                    || coalesce(
                        cast(missing_rial as varchar), 'an unknown amount'
                    )
                    || '} of it.'
            else ''
        end as detail,
    from requests
    where missing_count > 0

)

select * from final
