-- One row a debit that deposits should have caused on a bank account. In rials.
-- A request of several entries claims one debit of their sum where the
-- statement has one in its window, else one debit an entry; int_bank_matches may
-- serve one claim of several entries by a debit for each. An entry below zero lessens
-- the sum, and claims nothing by itself. `record_ids` are those of the entries, with
-- spaces between them.

with

charged as (

    select * from int_bank_entries

),

debits as (

    select * from int_bank_debits

),

totals as (

    select
        request_claim_id as claim_id,
        track_id,
        iban,
        min(requested_at) as requested_at,
        max(until_at) as until_at,
        cast(sum(claim_rial) as bigint) as claim_rial,
        cast(sum(claimed_wage_rial) as bigint) as claimed_wage_rial,
        array_to_string(list_sort(list(record_id)), ' ') as record_ids,
    from charged
    where track_id is not null
    group by request_claim_id, track_id, iban
    having count(*) > 1

),

bundled as (

    select totals.*
    from totals
    semi join debits
        on
            totals.iban = debits.iban
            and totals.claim_rial = debits.debit_rial
            and totals.requested_at <= debits.at_latest
            and totals.until_at >= debits.booked_at

),

final as (

    select * from bundled
    union all
    select
        charged.claim_id,
        charged.track_id,
        charged.iban,
        charged.requested_at,
        charged.until_at,
        charged.claim_rial,
        charged.claimed_wage_rial,
        charged.record_id as record_ids,
    from charged
    anti join bundled
        on charged.request_claim_id = bundled.claim_id
    where coalesce(charged.claim_rial > 0, true)

)

select * from final
