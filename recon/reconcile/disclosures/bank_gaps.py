"""What is not held against the bank for want of a statement, told in words.

Between two statements of an account, one may be missing: what the bank may have booked
in it is neither found nor called missing. It is counted, and that is all. Where their
balances do not meet, something is missing, and what it comes to is told. A statement
that its own balances contradict may lack entries, too; of two that contradict each
other all entries count, though one is wrong.
"""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from recon.reconcile.disclosures.locale import (
    ENGLISH,
    Locale,
    first_ones,
    item_words,
    shown,
)
from recon.reconcile.engine import Ask

Gap = Mapping[str, Any]
"""`from` and `to` are the first and the last date that no statement of the `iban` has,
or has whole; `deposits` and `settlements` how many the bank may have booked then,
`amount` and `settled` their rials; `missing`, where balances tell it, are the signed
rials of what it did book. One that is `unsound` is no gap but the time of a statement
that does not add up, one that is `contradicted` a date on which two contradict each
other."""

_QUERY = (
    "select iban, after_date, before_date, "
    "count(*) filter (where kind = 'deposit') as deposits, "
    "count(*) filter (where kind = 'settlement') as settlements, "
    # as text: a sum of many amounts may be wider than 64 bits
    "cast(sum(cast(amount_rial as decimal(38, 0))) "
    "filter (where kind = 'deposit') as varchar) as amount, "
    "cast(sum(cast(amount_rial as decimal(38, 0))) "
    "filter (where kind = 'settlement') as varchar) as settled, "
    "max(amount_rial) filter (where kind = 'entries') as missing, "
    "kind = 'statement' as unsound, "
    "kind = 'contradiction' as contradicted "
    "from int_bank_undecided where {condition} "
    "group by iban, after_date, before_date, unsound, contradicted "
    "order by after_date, before_date, iban, unsound, contradicted"
)
_TOLD = "Not held against the bank, since no statement has those days: {listed}."
_LACKING = (
    "Entries are missing between the bank's statements, as their balances show, and "
    "are compared with nothing: {listed}."
)
_UNSOUND = (
    "Statements of the bank do not add up by their own balances, so entries of them "
    "may be missing or wrong, until a sound file has their days: {listed}."
)
_CONTRADICTED = (
    "Statements of the bank contradict each other by their balances, and the entries "
    "of both count, until the wrong one is taken back: {listed}."
)
_GAP = "{iban} from {first} to {last} ({listed})"
_DAY_GAP = "{iban} on {first} ({listed})"
_SPAN = "{iban} from {first} to {last}"
_DAY_SPAN = "{iban} on {first}"
_DEPOSITS = (
    "1 deposit of {amount} rials",
    "{count} deposits that come to {amount} rials",
)
_SETTLEMENTS = (
    "1 settlement of {amount} rials",
    "{count} settlements that come to {amount} rials",
)
_DEBITS = "net debits of {amount} rials"
_CREDITS = "net credits of {amount} rials"
_DAY = timedelta(days=1)


def gaps(ask: Ask, condition: str = "true") -> list[dict[str, Any]]:
    """Return the gaps in which the bank may have booked what meets an SQL condition.

    In the order of time; a settlement, which may have gone to any account, is in the
    gap of each. What the balances prove to be missing is of the gap's first day.
    """
    return [
        {
            "iban": row["iban"],
            "from": (row["after_date"] + _DAY).isoformat(),
            "to": (row["before_date"] - _DAY).isoformat(),
            "deposits": row["deposits"],
            "amount": int(row["amount"] or 0),
            "settlements": row["settlements"],
            "settled": int(row["settled"] or 0),
            **({} if row["missing"] is None else {"missing": row["missing"]}),
            **({"unsound": True} if row["unsound"] else {}),
            **({"contradicted": True} if row["contradicted"] else {}),
        }
        for row in ask(_QUERY.format(condition=condition)).to_pylist()
    ]


def gap_words(found: Sequence[Gap], locale: Locale = ENGLISH) -> str:
    """Tell which days lack a statement, and of how much, in a sentence or more."""
    told: dict[str, list[str]] = {
        _TOLD: [],
        _LACKING: [],
        _UNSOUND: [],
        _CONTRADICTED: [],
    }
    for each in found:
        topic = _LACKING if "missing" in each else _TOLD
        time, day = _GAP, _DAY_GAP
        if each.get("unsound"):
            topic, time, day = _UNSOUND, _SPAN, _DAY_SPAN
        elif each.get("contradicted"):
            topic, time, day = _CONTRADICTED, _SPAN, _DAY_SPAN
        words = locale.say(
            day if each["from"] == each["to"] else time,
            iban=locale.from_left(shown(each["iban"])),
            first=locale.day(date.fromisoformat(each["from"])),
            last=locale.day(date.fromisoformat(each["to"])),
            listed=locale.say(", ").join(_counted(each, locale)),
        )
        told[topic].append(words)
    return " ".join(
        locale.say(sentence, listed=first_ones(listed, locale))
        for sentence, listed in told.items()
        if listed
    )


def _counted(gap: Gap, locale: Locale) -> list[str]:
    told = []
    if (missing := gap.get("missing")) is not None:
        net = _DEBITS if missing < 0 else _CREDITS
        told.append(locale.say(net, amount=locale.count(abs(missing))))
    if deposits := gap["deposits"]:
        told.append(item_words(_DEPOSITS, deposits, gap["amount"], locale))
    if settlements := gap["settlements"]:
        told.append(item_words(_SETTLEMENTS, settlements, gap["settled"], locale))
    return told
