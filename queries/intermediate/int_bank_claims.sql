-- One row a debit that deposits should have caused on a bank account. In rials.
-- A request of several entries claims one debit of their sum where the
-- statement has one in its window, else one debit an entry. The window is from
-- the request to three days after. One gateway_transaction_id is one deposit,
-- under however many track_ids.

with

entries as (

    select *
    from int_deposit_entries
    where
        track_id is not null
        and iban is not null
        and requested_at is not null
    qualify row_number() over (
        partition by record_id
        order by requested_at, track_id, pull_id, page_no, position
    ) = 1

),

debits as (

    select * from int_bank_debits

),

settings as (

    select * from stg_settings

),

charged as (

    select
        entries.track_id,
        entries.record_id,
        entries.iban,
        entries.requested_at,
        entries.requested_at + interval 3 day as until_at,
        entries.amount_rial
        + case
            when settings.wage_from = 'bank' then coalesce(entries.wage_rial, 0)
            else 0
        end as claim_rial,
    from entries
    cross join settings

),

totals as (

    select
        track_id,
        iban,
        min(requested_at) as requested_at,
        max(until_at) as until_at,
        cast(sum(claim_rial) as bigint) as claim_rial,
    from charged
    group by track_id, iban
    having count(*) > 1

),

bundled as (

    select distinct
        totals.track_id,
        totals.iban,
        totals.requested_at,
        totals.until_at,
        totals.claim_rial,
    from totals
    inner join debits
        on
            totals.iban = debits.iban
            and totals.claim_rial = debits.debit_rial
            and totals.requested_at <= debits.at_latest
            and totals.until_at >= debits.booked_at

),

final as (

    select
        'track:' || track_id || ':' || iban as claim_id,
        track_id,
        iban,
        requested_at,
        until_at,
        claim_rial,
    from bundled
    union all
    select
        'entry:' || charged.record_id as claim_id,
        charged.track_id,
        charged.iban,
        charged.requested_at,
        charged.until_at,
        charged.claim_rial,
    from charged
    anti join bundled
        on
            charged.track_id = bundled.track_id
            and charged.iban = bundled.iban

)

select * from final
