-- One row a claim on a debit, once debits are given to claims (int_bank_pairs). In
-- rials. A request of several entries that has not the debits of all claims one an
-- entry, even where the statement has a debit of their sum, as that is another's; until
-- its own may no longer come.

with

claims as (

    select * from int_bank_claims

),

entries as (

    select * from int_bank_entries

),

matches as (

    select distinct claim_id from int_bank_pairs

),

undone as (

    select claims.*
    from claims
    anti join matches
        on claims.claim_id = matches.claim_id

),

final as (

    select claims.*
    from claims
    anti join undone
        on claims.claim_id = undone.claim_id
    union all
    select
        entries.claim_id,
        entries.track_id,
        entries.iban,
        entries.requested_at,
        undone.until_at,
        entries.claim_rial,
        entries.claimed_wage_rial,
        entries.record_id as record_ids,
    from undone
    inner join entries
        on undone.claim_id = entries.request_claim_id
    where coalesce(entries.claim_rial > 0, true)
    union all
    select undone.*
    from undone
    anti join entries
        on undone.claim_id = entries.request_claim_id

)

select * from final
