-- finds: an interval between two balance snapshots whose movements do not lead
--   from one balance to the other, with a rest that no named item explains.
-- why: money came to or left the wallet, and nothing that is known says why.
-- do: start with recon breaks explain; then ask the provider for the wallet's
--   statement of the interval. A settlement that was not imported as an
--   adjustment is the usual cause: where the bank's statement was imported and
--   shows it, the detail says so. Where most intervals have a rest, what no
--   list has was not imported: gateway_tokens with the answers of verify,
--   hosted_checkouts, deposits. An adjustment that is given by its day
--   without a time may have moved the wallet behind any snapshot of that day.
-- severity: critical
-- product: wallet
-- record: wallet:to_at
-- source: document 2, Resources and their fields, A. Balance.
-- false alarm: an IBAN that was set by mistake and never was the wallet's, if
--   its snapshots all end before the right one's begin: an early day and the
--   right one in cash_in.wallet_iban_since rule it out.

with

intervals as (

    select * from int_wallet_rollforward

),

settings as (

    select * from stg_settings

),

final as (

    select
        intervals.wallet
        || ':'
        || strftime(intervals.to_at at time zone 'UTC', '%Y-%m-%d')
        || 'T'
        || strftime(intervals.to_at at time zone 'UTC', '%H:%M:%S')
        || 'Z' as record_id,
        intervals.wallet as related_id,
        intervals.to_at as occurred_at,
        intervals.expected_closing_rial + intervals.explained_rial as expected,
        intervals.closing_rial as actual,
        'Unexplained: {'
        || coalesce(
            cast(intervals.unexplained_rial as varchar), 'an unknown amount'
        )
        || '}; {'
        || coalesce(
            cast(intervals.closing_rial as varchar), 'an unknown amount'
        )
        || '} in the wallet, {'
        || coalesce(
            cast(intervals.expected_closing_rial as varchar),
            'an unknown amount'
        )
        || '} by what is certain, {'
        || coalesce(cast(intervals.explained_rial as varchar), 'nothing')
        || '} explained.'
        || coalesce(' ' || nullif(intervals.detail, ''), '') as detail,
    from intervals
    cross join settings
    where
        coalesce(
            abs(intervals.unexplained_rial) > settings.tolerance_rial, true
        )

)

select * from final
