"""What a lake of the bench holds beside checkouts: cards, deposits, the wallet."""

from tests.bench.scale_world import BANK, DAYS, FIRST, LOST_RIAL, WALLET

_AT = f"make_timestamptz({FIRST} + number * {DAYS * 86000} // {{count}} * 1000000)"


def tokens(count: int) -> str:
    """Return the query of the gateway's tokens as the business kept them."""
    return f"""
select 'token-' || number as token, 100000 + number % 977 * 1000 as amount,
    'G' || number as factor_number, {_AT.format(count=count)} as sent_at,
    95000 + number % 977 * 1000 as real_amount, 5000 as wage,
    {_AT.format(count=count)} + interval 60 second as verified_at,
    1 as page, number + 1 as place
from range({count}) as each(number)
"""


def transactions(count: int) -> str:
    """Return the query of the gateway's transactions, all settled."""
    return f"""
select 'token-' || number as token, 100000 + number % 977 * 1000 as amount,
    'trans-' || number as trans_id, 'refnumber-' || number as refnumber,
    'tracking-' || number as tracking_code, 'G' || number as factor_number,
    '0912' || lpad(cast(number % 10000000 as varchar), 7, '0') as mobile,
    cast(null as varchar) as description, cast(null as varchar) as card_number,
    cast(null as varchar) as card_cid,
    {_AT.format(count=count)} + interval 20 second as created_at,
    {_AT.format(count=count)} + interval 40 second as payment_date,
    2 as code, cast(null as varchar) as message, cast(null as varchar) as error,
    number // 100 as page, number % 100 + 1 as place
from range({count}) as each(number)
"""


def hosted(count: int) -> str:
    """Return the query of the hosted page's checkouts, most of them paid."""
    return f"""
select 'hosted-' || number as id, 200000 + number % 613 * 1000 as amount,
    3000 as wage, case number % 10 when 0 then 'FAILED' else 'SUCCEED' end as status,
    'H' || number as checkout_number, cast(null as varchar) as description,
    {_AT.format(count=count)} as created_at, cast(null as varchar) as error,
    number // 100 as page, number % 100 + 1 as place
from range({count}) as each(number)
"""


def hosted_requests(count: int) -> str:
    """Return the query of what the business sent to the hosted page."""
    return f"""
select 'hosted-' || number as checkout_id, 200000 + number % 613 * 1000 as amount,
    'H' || number as checkout_number, {_AT.format(count=count)} as sent_at,
    1 as page, number + 1 as place
from range({count}) as each(number)
"""


def card_orders(count: int) -> str:
    """Return the query of the books' orders that were paid by card."""
    return f"""
select 'G' || number as reference, 100000 + number % 977 * 1000 as amount,
    'paid' as status, {_AT.format(count=count)} as occurred_at,
    'gateway' as product, cast(null as varchar) as description,
    cast(null as varchar) as extra, 2 as page, number + 1 as place
from range({count}) as each(number)
union all
select 'H' || number, 200000 + number % 613 * 1000,
    case number % 10 when 0 then 'unpaid' else 'paid' end,
    {_AT.format(count=count)}, 'hosted', null, null, 3, number + 1
from range({count}) as each(number)
"""


def deposits(count: int) -> str:
    """Return the query of deposit entries, all settled."""
    return f"""
select 'track-' || number as track_id, 'deposit-' || number as gateway_transaction_id,
    1000000 + number % 100 * 10000 as amount, 100000 + number % 100 * 1000
        as amount_toman,
    cast(0 as bigint) as wage, cast(0 as bigint) as wage_toman, 'DONE' as status,
    '{BANK}' as iban, cast(null as varchar) as receipt_url,
    {_AT.format(count=count)} as requested_at,
    {_AT.format(count=count)} + interval 1 hour as settled_at,
    1000000 + number % 100 * 10000 as requested_amount, '' as outcome,
    'import' as origin, 1 as page, number + 1 as place
from range({count}) as each(number)
"""


def accounts() -> str:
    """Return the query of the one bank account."""
    return f"""
select '{BANK}' as iban, '1' as account_number,
    cast(null as varchar) as account_description, 'Bank' as bank_name,
    'Shop' as account_owner, 1 as page, 1 as place
"""


def tariff() -> str:
    """Return the query of the tariff of the unified service."""
    return """
select 'unified' as product, '*' as payment_method, 25 as rate_bps, 0 as fixed,
    5000 as minimum, 40000 as maximum,
    timestamptz '2020-01-01 00:00:00+00' as valid_from,
    cast(null as varchar) as extra, 1 as page, 1 as place
"""


def agreements(count: int) -> str:
    """Return the query of escrow agreements that nobody paid yet."""
    return f"""
select 'agreement-' || number as tracking_code, 'trace-' || number as trace_id,
    cast(null as varchar) as description, 1000000 as amount, 'draft' as state,
    'buyer' as creator, {_AT.format(count=count)} as created_at,
    'open' as buyer_state, cast(null as varchar) as buyer_national_code,
    '0913' || lpad(cast(number % 10000000 as varchar), 7, '0') as buyer_mobile,
    'open' as seller_state, cast(null as varchar) as seller_national_code,
    cast(null as varchar) as seller_mobile, cast(null as varchar) as items,
    number // 100 as page, number % 100 + 1 as place
from range({count}) as each(number)
"""


def balances(moved: str) -> str:
    """Return the query of a snapshot a day; `moved` has `at` and `effect` in rials."""
    return f"""
with days as (
    select number,
        timestamptz '2024-10-01 00:00:00+00' + to_days(cast(number as integer)) as at
    from range({DAYS + 2}) as each(number)
), daily as (
    select date_trunc('day', "at" - interval 1 microsecond) as day,
        cast(sum(effect) as bigint) as effect
    from ({moved}) where effect is not null and "at" is not null group by 1
)
select days.at, '{WALLET}' as iban,
    cast(1000000000 + coalesce(sum(daily.effect) over (order by days.at), 0)
        - case when days.number > {DAYS // 2} then {LOST_RIAL} else 0 end
        as bigint) as balance,
    cast(0 as bigint) as available_balance, 'import' as origin,
    1 as page, number + 1 as place
from days left join daily on days.at = daily.day + interval 1 day
"""
