"""The shop that a lake of the bench holds, as SQL over a range of numbers.

Everything follows from a checkout's number, so a lake of any size is the same on
every run. Every tenth checkout has two attempts to pay, eighty-five in a hundred are
paid, and one in a hundred is pending when it is first met and final one pull later.
Amounts are rials; the balances agree with what moved, but for what is planted.
"""

WALLET = "IR062960000000100324200001"
BANK = "IR820540102680020817909002"
DAYS = 730
FIRST = 1_727_740_800_000_000
"""The first of October 2024, in microseconds since 1970."""

LOST_RIAL = 1_234_567
"""What the wallet lacks from the middle of its history on: one interval breaks."""

PLANTED = (
    "payment_wallet_identity",
    "payment_receipt_missing",
    "payment_ref_id_duplicate",
    "payment_affected_not_done",
    "checkout_paid_without_payment",
    "checkout_unpaid_with_payment",
    "checkout_amount_mismatch",
    "checkout_request_duplicate",
    "checkout_number_paid_twice",
    "mandate_limit_exceeded",
    "mandate_unknown",
    "wage_outside_tariff",
    "book_amount_mismatch",
    "book_status_mismatch",
    "book_missing_at_provider",
    "provider_missing_in_books",
    "book_duplicate",
    "record_vanished",
    "record_restated",
    "payment_redirect_stale",
)
"""The checks that find exactly `planted` breaks each, beside one roll-forward's."""

_NOT_PAID = "'payment_affected_not_done', 'payment_redirect_stale'"
_NO_DEED = "'checkout_paid_without_payment'"


def checkout_count(payments: int) -> int:
    """Return of how many checkouts a lake of so many payments is made."""
    return payments * 10 // 11


def planted(payments: int) -> int:
    """Return how many breaks are planted of each kind."""
    return max(2, min(200, payments // 50_000))


def shop(payments: int) -> str:
    """Return the statements that make the view `shop`: one row a checkout.

    A fault stands on every n-th checkout, and its neighbour before it is plain.
    """
    count = checkout_count(payments)
    faults = planted(payments) * len(PLANTED)
    step = count * 9 // 10 // faults
    cases = "\n".join(f"when {n} then '{name}'" for n, name in enumerate(PLANTED))
    return f"""
create macro drawn(number, salt, sides) as
    cast(hash(number, salt) % sides as bigint);
create macro named(number, salt) as
    cast(cast(md5(number || salt) as uuid) as varchar);
create macro rated(amount) as greatest(5000, least(40000, amount * 25 // 10000));
create view numbers as
select
    number,
    case
        when number < {count * 98 // 100} then 1
        when number < {count * 99 // 100} then 2
        else 3
    end as born,
    number % {step} in (5, 6) as is_chosen,
    case when number % {step} = 6 and number // {step} < {faults}
        then case (number // {step}) % {len(PLANTED)} {cases} end
    end as fault,
    drawn(number, 'kind', 100) as kind,
    drawn(number, 'change', 100) as change
from range({count}) as each(number);
create view shop as
select
    number,
    born,
    fault,
    case
        when fault = 'record_restated' then 2
        when is_chosen then null
        when born = 1 and change = 0 then 2
        when born < 3 and change = 1 then 3
    end as changed,
    is_chosen or kind < 85 as is_wanted,
    number % 10 = 0 and not is_chosen and change > 1 as is_twice,
    10000 * (1 + drawn(number, 'amount', 2000)) as amount,
    case drawn(number, 'method', 4) when 0 then 'card' when 1 then 'wallet'
        else case number % 2 when 0 then 'debit-bank-a' else 'debit-bank-b' end
    end as method,
    make_timestamptz({FIRST}
        + cast(number * ({DAYS}.0 * 86000000000 / {count}) as bigint)) as created_at
from numbers;
"""


def met(pull: int) -> str:
    """Return the rows of `shop` that a pull meets anew, and whether they are final."""
    return (
        "(select *, coalesce(changed > born and "
        f"{pull} = born, false) as is_early, "
        "case when fault = 'checkout_request_duplicate' then number - 1 "
        "else number end as request, "
        "case when fault = 'checkout_number_paid_twice' then number - 1 "
        "else number end as counted, "
        f"is_wanted and coalesce(fault not in ({_NOT_PAID}), true) as is_done "
        f"from shop where born = {pull} or changed = {pull})"
    )


_PENDING = "is_early and fault is null"


def checkouts(pull: int) -> str:
    """Return the query of the versions of checkouts that a pull brings."""
    return f"""
select
    named(number, 'checkout') as id,
    named(request, 'request') as request_id,
    'F' || counted as checkout_number,
    amount + case when fault = 'checkout_amount_mismatch' then 1 else 0 end as amount,
    case
        when is_done and not ({_PENDING})
            and fault is distinct from 'checkout_unpaid_with_payment' then 'paid'
        else 'not_paid'
    end as status,
    'order ' || number as description,
    created_at,
    created_at + interval 40 second as updated_at,
    'customer-' || number % 1000000 as customer_id,
    '0912' || lpad(cast(number % 10000000 as varchar), 7, '0') as customer_mobile,
    cast(null as varchar) as customer_first_name,
    cast(null as varchar) as customer_last_name,
    cast(null as varchar) as customer_national_code,
    cast(null as varchar) as customer_email,
    case
        when fault = {_NO_DEED} then cast([] as varchar[])
        when is_twice then [named(number, 'first'), named(number, 'payment')]
        else [named(number, 'payment')]
    end as payment_ids,
    number // 100 as page, number % 100 + 1 as place
from {met(pull)}
"""


def payments(pull: int, count: int, *, newest: bool = False) -> str:
    """Return the query of the versions of payments that a pull brings.

    With `newest`, only of those that no later pull changes.
    """
    only = "where not is_early" if newest else ""
    mandates = max(2, count // 200 * 2)
    first = f"""
select number, created_at, method, amount, fault, is_early, 'first' as salt,
    false as is_done, number as receipt, true as is_failed
from {met(pull)} where is_twice
"""
    last = f"""
select number, created_at + interval 20 second as created_at, method, amount, fault,
    is_early, 'payment' as salt, is_done and not ({_PENDING}) as is_done,
    case when fault = 'payment_ref_id_duplicate' then number - 1 else number end
        as receipt,
    not ({_PENDING}) and fault is distinct from 'payment_redirect_stale' as is_failed
from {met(pull)} where fault is distinct from {_NO_DEED}
"""
    return f"""
select
    named(number, salt) as id,
    named(number, 'checkout') as checkout_id,
    method as payment_method,
    amount,
    wage as wage_amount,
    case
        when is_done then amount - wage
            + case when fault = 'payment_wallet_identity' then 1 else 0 end
        when fault = 'payment_affected_not_done' then 5
        else 0
    end as affected_amount,
    case when is_done and fault is distinct from 'payment_receipt_missing'
        then lpad(cast(receipt as varchar), 12, '0') end as ref_id,
    cast(900000 + number as varchar) as tracking_code,
    case when is_done then 'done' when is_failed then 'failed'
        else 'pending_redirect' end as status,
    case when is_failed and not is_done then 'INSUFFICIENT_FUNDS' end as error_code,
    cast(null as varchar) as error_message,
    created_at,
    created_at + interval 15 second as updated_at,
    case when is_done then created_at + interval 10 second end as paid_at,
    case when method like 'debit%' then 'debit' else 'card' end as type,
    case when method like 'debit%' then
        case fault
            when 'mandate_unknown' then named(number, 'nobody')
            when 'mandate_limit_exceeded' then named(number, 'narrow')
            else named(number % {mandates}, 'mandate')
        end
    end as mandate_id,
    cast(null as varchar) as card_number,
    cast(null as varchar) as card_cid,
    number // 100 as page, number % 100 + 1 as place
from (
    select *, rated(amount)
        + case when fault = 'wage_outside_tariff' then 7 else 0 end
        + case when fault = 'record_restated' and is_early then 3 else 0 end as wage
    from (
        select * replace (
            case when fault like 'mandate%' then
                case number % 2 when 0 then 'debit-bank-a' else 'debit-bank-b' end
                else method end as method
        ) from ({first} union all {last}) {only}
    )
)
"""


def mandates(count: int) -> str:
    """Return the query of the mandates, with one too narrow for each fault of it."""
    numbers = max(2, count // 200 * 2)
    plain = f"select number, 'mandate' as salt, 20000000 as bound from range({numbers})"
    return f"""
select named(number, salt) as id,
    case number % 2 when 0 then 'debit-bank-a' else 'debit-bank-b' end
        as payment_method,
    100000 as count, bound as limit, timestamptz '2030-01-01 00:00:00+00' as expires_at,
    'customer-' || number as customer_id, 'active' as status,
    timestamptz '2024-09-01 00:00:00+00' as created_at,
    timestamptz '2024-09-01 00:00:00+00' as updated_at,
    cast(null as timestamptz) as revoked_at,
    number // 100 as page, number % 100 + 1 as place
from (
    {plain} as each(number)
    union all
    select number, 'narrow', amount - 1 from shop
    where fault = 'mandate_limit_exceeded'
)
"""


def books() -> str:
    """Return the query of the business's orders, one a checkout but for the faults."""
    return f"""
select
    'F' || number as reference,
    amount
        + case when fault = 'checkout_amount_mismatch' then 1 else 0 end
        + case when fault = 'book_amount_mismatch' then 9 else 0 end as amount,
    case when is_done and coalesce(fault not in (
            'checkout_unpaid_with_payment', 'book_status_mismatch'), true)
        then 'paid' else 'unpaid' end as status,
    created_at as occurred_at,
    case when number % 3 = 0 then 'unified' end as product,
    cast(null as varchar) as description,
    cast(null as varchar) as extra,
    1 as page, number + 1 as place
from (
    select number, amount, fault, created_at,
        is_wanted and coalesce(fault not in ({_NOT_PAID}), true) as is_done
    from shop
    where coalesce(fault not in (
        'provider_missing_in_books', 'checkout_number_paid_twice'), true)
    union all
    select number, amount, null, created_at, true from shop
    where fault = 'book_duplicate'
    union all
    select -number, amount + 7, null, created_at, true from shop
    where fault = 'book_missing_at_provider'
)
"""


def seen() -> str:
    """Return the query of the checkouts that the last whole sweep met."""
    return (
        "select named(number, 'checkout') as id from shop "
        "where fault is distinct from 'record_vanished'"
    )
