"""What no file of the business covers, so that no check speaks of it, told in words.

The books, the statements of the bank and the tariff come by import. Where these stop,
checks that compare with them fall silent, and silence must not be taken for agreement.
So it is with escrow events, which may never come, and with the tokens and ids by which
alone the gateway and the hosted page can be asked.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta, tzinfo
from typing import Any

from recon.pull.asked import SOURCES
from recon.reconcile.disclosures.locale import ENGLISH, Locale, item_words
from recon.reconcile.engine import Ask
from recon.times import EARLIEST, business_date

LATE_AFTER = timedelta(days=35)
"""So long after its last day a file is late: an export a month is in time."""

CHECKS = {
    "books": (
        "book_amount_mismatch",
        "book_missing_at_provider",
        "book_status_mismatch",
        "provider_missing_in_books",
    ),
    "bank_statement": ("bank_debit_missing", "bank_debit_unexplained"),
    "tariff": ("wage_outside_tariff",),
    "events": (
        "escrow_amount_mismatch",
        "escrow_event_uncorroborated",
        "escrow_overpaid_out",
        "escrow_payout_missing",
        "escrow_refund_missing",
    ),
    "gateway_tokens": (
        "gateway_amount_mismatch",
        "gateway_refnumber_duplicate",
        "gateway_unverified",
        "gateway_verify_missing",
        "gateway_wallet_identity",
    ),
    "hosted_checkouts": (
        "hosted_amount_mismatch",
        "hosted_number_paid_twice",
        "hosted_unverified",
    ),
}
"""The checks that say nothing, or little, without anything of the kind."""

_SOURCES = {
    "events": "agreements",
    "gateway_tokens": "gateway_transactions",
    "hosted_checkouts": "hosted_checkouts",
}
"""The source of a product that is read in vain without anything of the kind."""

_WALLET = "wallet_rollforward"
"""The check that says nothing without two balances."""

Uncovered = Mapping[str, Any]
"""`kind` of file and `subject` (records, deposits, settlements, wages); `count` and
`amount` (rials) of what none covers, `first` and `last` are its business dates; from
`covered_from` to `covered_to` the files reach (of the bank, those of the accounts that
are concerned), None where there are none, or they have no time; `late` where those of
the books, or of one account, ended long ago and something came after it."""

_TOLD = {
    "records": (
        "Not compared with the books, which reach from {begin} to {end}: {items} "
        "({dates})."
    ),
    "deposits": (
        "Not compared with the bank: no statement covers the account and day of "
        "{items} ({dates}); the statements reach from {begin} to {end}."
    ),
    "settlements": (
        "Not at the bank so far, and the statements, from {begin} to {end}, do not "
        "cover all days that a settlement may take: {items} ({dates})."
    ),
    "wages": (
        "Not compared with the tariff, which has no line for them: {items} ({dates})."
    ),
}
_UNDATED = {
    "records": (
        "Not compared with the books, in which no order has a time: {items} ({dates})."
    ),
    "deposits": (
        "Not compared with the bank: there is no statement of the account of {items} "
        "({dates})."
    ),
}
"""What is told where no date is known to which the files reach."""
_ITEMS = {
    "records": (
        "1 paid record of {amount} rials",
        "{count} paid records that come to {amount} rials",
    ),
    "deposits": (
        "1 deposit of {amount} rials",
        "{count} deposits that come to {amount} rials",
    ),
    "settlements": (
        "1 settlement of {amount} rials",
        "{count} settlements that come to {amount} rials",
    ),
    "wages": ("1 wage of {amount} rials", "{count} wages that come to {amount} rials"),
}
_DATES = "{first} to {last}"
_NEVER = "There are none of these yet, so nothing is compared with them: {listed}."
_FILES = {
    "books": "the books",
    "bank_statement": "statements of the bank",
    "tariff": "the tariff",
    "events": "escrow events",
    "gateway_tokens": "gateway tokens",
    "hosted_checkouts": "ids of hosted checkouts",
}
_MISSING = "select kind from report_coverage where row_count = 0"
_FOUND = (
    "select kind, subject, sum(count) as count, "
    # as text: a sum of many amounts may be wider than 64 bits
    "cast(sum(cast(amount as decimal(38, 0))) as varchar) as amount, "
    "min(business_date) as first, max(business_date) as last, "
    "min(covered_from) as covered_from, max(covered_to) as covered_to, "
    "max(case when covered_to < date '{latest}' and business_date > covered_to "
    "then 1 else 0 end) = 1 as late "
    "from report_uncovered where {condition} group by kind, subject "
    "order by late desc, kind, subject"
)
_TO_BANK = (
    "select count(*) as count from (select claim_id from int_bank_claims union all "
    "select settlement_id from int_settlements where is_settlement)"
)


def uncovered(
    ask: Ask, as_of: datetime, zone: tzinfo, condition: str = "true"
) -> list[dict[str, Any]]:
    """Return what no file covers and meets an SQL condition, as JSON has it.

    What is late, and so of most weight, comes first.
    """
    latest = business_date(as_of - min(LATE_AFTER, as_of - EARLIEST), zone)
    rows = ask(_FOUND.format(condition=condition, latest=latest)).to_pylist()
    dates = ("first", "last", "covered_from", "covered_to")
    return [
        {
            **row,
            **{name: int(row[name]) for name in ("count", "amount")},
            **{name: row[name] and row[name].isoformat() for name in dates},
        }
        for row in rows
    ]


def never_imported(ask: Ask, sources: Mapping[str, Any]) -> list[str]:
    """Return the kinds of which there is none, though something would be compared.

    `sources` are those that were pulled. Of escrow without an agreement no event is
    missed, of escrow alone no tariff, and no statement of the bank where nothing went
    there.
    """
    missing = set(ask(_MISSING)["kind"].to_pylist())
    if "bank_statement" in missing and not ask(_TO_BANK)["count"][0].as_py():
        missing.remove("bank_statement")
    if not getattr(sources.get("agreements"), "records", 0):
        missing.discard("events")
    if sources.keys() <= {*SOURCES["escrow"]}:
        missing.discard("tariff")
    unasked = {kind for kind, name in _SOURCES.items() if name not in sources}
    return sorted(missing - unasked) if sources else []


def is_short(summary: Mapping[str, Any], disabled: Collection[str] = ()) -> bool:
    """Tell whether a summary speaks of less than it seems, so that quiet is no proof.

    It does where a file is late with which not only `disabled` checks compare, where
    one is missing between two statements of the bank, where the wallet's last balance
    is late or no two are compared, and where a product was read in vain.
    """
    found = summary.get("uncovered", ())
    is_late = any(each["late"] for each in _minded(found, disabled))
    is_missing = "bank_gaps" in summary and not _is_off("bank_statement", disabled)
    is_unheld = _WALLET not in disabled and _is_unheld(summary)
    return is_late or is_missing or is_unheld or bool(in_vain(summary, disabled))


def _is_unheld(summary: Mapping[str, Any]) -> bool:
    """Tell whether the wallet was not held against a balance of late.

    Of escrow alone none is missed: its money goes from party to party.
    """
    wallet, sources = summary["wallet"], summary["sources"]
    if wallet["closing"] is None:
        return not sources or not sources.keys() <= {*SOURCES["escrow"]}
    return "late" in wallet


def in_vain(summary: Mapping[str, Any], disabled: Collection[str] = ()) -> list[str]:
    """Return the kinds without which a product that the settings name is not known."""
    never = summary.get("never_imported", ())
    return [kind for kind in never if kind in _SOURCES and not _is_off(kind, disabled)]


def coverage_words(
    found: Sequence[Uncovered],
    disabled: Collection[str] = (),
    locale: Locale = ENGLISH,
) -> list[str]:
    """Tell what no file covers, a sentence each; not of what only `disabled` read."""
    return [_sentence(each, locale) for each in _minded(found, disabled)]


def never_words(
    kinds: Sequence[str],
    disabled: Collection[str] = (),
    locale: Locale = ENGLISH,
) -> list[str]:
    """Tell in one sentence which files were never imported; none where all were."""
    say = locale.say
    named = [say(_FILES[kind]) for kind in kinds if not _is_off(kind, disabled)]
    return [say(_NEVER, listed=say(", ").join(named))] if named else []


def _minded(
    found: Sequence[Uncovered], disabled: Collection[str]
) -> Iterator[Uncovered]:
    return (each for each in found if not _is_off(each["kind"], disabled))


def _is_off(kind: str, disabled: Collection[str]) -> bool:
    return set(CHECKS[kind]) <= set(disabled)


def _sentence(each: Uncovered, locale: Locale) -> str:
    subject = each["subject"]
    first, last, begin, end = (
        locale.day(date.fromisoformat(each[name])) if each[name] else ""
        for name in ("first", "last", "covered_from", "covered_to")
    )
    told = _UNDATED if subject in _UNDATED and not end else _TOLD
    span = locale.say(_DATES, first=first, last=last)
    return locale.say(
        told[subject],
        items=item_words(_ITEMS[subject], each["count"], each["amount"], locale),
        dates=first if first == last else span,
        begin=begin,
        end=end,
    )
