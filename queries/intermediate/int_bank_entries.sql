-- One row a deposit entry and the debit that it should have caused by itself. In
-- rials. The window is from the request to three days after. One
-- gateway_transaction_id is one deposit, under however many track_ids. One of no rials
-- causes none. Of `claim_rial`, `claimed_wage_rial` is the fee that the bank account
-- bears. As a claim it is `claim_id`; `request_claim_id` is that of all entries of its
-- request together.

with

entries as (

    select
        *,
        case when wage_from = 'bank' then coalesce(wage_rial, 0) else 0 end
        as claimed_wage_rial,
    from int_deposit_entries
    where
        iban is not null
        and requested_at is not null
    qualify row_number() over (
        partition by record_id
        order by requested_at, track_id, pull_id, page_no, position
    ) = 1

),

final as (

    select
        'entry:' || record_id as claim_id,
        'track:' || track_id || ':' || iban as request_claim_id,
        track_id,
        record_id,
        iban,
        requested_at,
        requested_at + interval 3 day as until_at,
        amount_rial + claimed_wage_rial as claim_rial,
        claimed_wage_rial,
    from entries
    where amount_rial + claimed_wage_rial is distinct from 0

)

select * from final
