-- finds: the entries of a track_id that do not sum to the amount requested;
--   nothing where the requested amount is not known, or where the entries were
--   only met in a list that could not be read to its end.
-- why: a part of the deposit is missing, or was taken twice.
-- do: compare with the debits of the bank account, and ask the provider for the
--   rest.
-- severity: critical
-- product: cash_in
-- record: track_id
-- source: document 2, Endpoints, A. Deposit (splitting).

with

requests as (

    select * from int_deposit_requests

),

settings as (

    select * from stg_settings

),

final as (

    select
        requests.track_id as record_id,
        cast(null as varchar) as related_id,
        requests.occurred_at,
        requests.requested_rial as expected,
        requests.entries_rial as actual,
        cast(requests.entry_count as varchar)
        || case
            when requests.entry_count = 1 then ' entry sums to {'
            else ' entries sum to {'
        end
        || cast(requests.entries_rial as varchar)
        || '}, requested were {'
        || cast(requests.requested_rial as varchar)
        || '}.' as detail,
    from requests
    cross join settings
    where
        abs(requests.missing_rial) > settings.tolerance_rial
        and requests.is_read_whole

)

select * from final
