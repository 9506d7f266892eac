"""What is not held against the bank for want of a statement, told in words.

Between two statements of an account, one may be missing: what the bank may have booked
in it is neither found nor called missing. It is counted, and that is all. Where their
balances do not meet, something is missing, and what it comes to is told.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from recon.money import format_rials
from recon.reconcile.disclosures.unlisted import Ask
from recon.wording import in_one_line

Gap = Mapping[str, Any]
"""`from` and `to` are the first and the last date that no statement of the `iban` has,
or has whole; `deposits` and `settlements` how many the bank may have booked then,
`amount` and `settled` their rials; `missing`, where balances tell it, are the signed
rials of what it did book."""

_QUERY = (
    "select iban, after_date, before_date, "
    "count(*) filter (where kind = 'deposit') as deposits, "
    "count(*) filter (where kind = 'settlement') as settlements, "
    # as text: a sum of many amounts may be wider than 64 bits
    "cast(sum(cast(amount_rial as decimal(38, 0))) "
    "filter (where kind = 'deposit') as varchar) as amount, "
    "cast(sum(cast(amount_rial as decimal(38, 0))) "
    "filter (where kind = 'settlement') as varchar) as settled, "
    "max(amount_rial) filter (where kind = 'entries') as missing "
    "from int_bank_undecided where {condition} "
    "group by iban, after_date, before_date order by after_date, before_date, iban"
)
_TOLD = "Not held against the bank, since no statement has those days: {listed}."
_LACKING = (
    "Entries are missing between the bank's statements, as their balances show, and "
    "are compared with nothing: {listed}."
)
_GAP = "{iban} from {first} to {last} ({listed})"
_DAY_GAP = "{iban} on {first} ({listed})"
_DEPOSIT = "1 deposit of {amount} rials"
_DEPOSITS = "{count} deposits that come to {amount} rials"
_SETTLEMENT = "1 settlement of {amount} rials"
_SETTLEMENTS = "{count} settlements that come to {amount} rials"
_DEBITS = "net debits of {amount} rials"
_CREDITS = "net credits of {amount} rials"
_MORE = "and {count} more"
_MOST = 5
_MOST_SIGNS = 40
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
        }
        for row in ask(_QUERY.format(condition=condition)).to_pylist()
    ]


def gap_words(
    found: Sequence[Gap],
    *,
    say: Callable[..., str] = str.format,
    count: Callable[[int], str] = format_rials,
    mark: Callable[[str], str] = str,
    day: Callable[[date], str] = str,
) -> str:
    """Tell which days lack a statement, and of how much, in a sentence or two.

    `say` puts a phrase into the reader's language, `count` writes a number, `day` a
    date, and `mark` what is read from left to right.
    """
    told: dict[str, list[str]] = {_TOLD: [], _LACKING: []}
    for each in found:
        words = say(
            _DAY_GAP if each["from"] == each["to"] else _GAP,
            iban=mark(_shown(each["iban"])),
            first=day(date.fromisoformat(each["from"])),
            last=day(date.fromisoformat(each["to"])),
            listed=say(", ").join(_counted(each, say, count)),
        )
        told[_LACKING if "missing" in each else _TOLD].append(words)
    return " ".join(
        say(sentence, listed=say(", ").join(_most(listed, say, count)))
        for sentence, listed in told.items()
        if listed
    )


def _most(
    told: Sequence[str], say: Callable[..., str], count: Callable[[int], str]
) -> list[str]:
    """Return the first ones, and how many more there are."""
    more = len(told) - _MOST
    rest = [say(_MORE, count=count(more))] if more > 0 else []
    return [*told[:_MOST], *rest]


def _counted(
    gap: Gap, say: Callable[..., str], count: Callable[[int], str]
) -> list[str]:
    missing = gap.get("missing", 0)
    net = _DEBITS if missing < 0 else _CREDITS
    kinds = (
        (gap["deposits"], gap["amount"], _DEPOSIT, _DEPOSITS),
        (gap["settlements"], gap["settled"], _SETTLEMENT, _SETTLEMENTS),
    )
    proven = [say(net, amount=count(abs(missing)))] if "missing" in gap else []
    return proven + [
        say(one if number == 1 else many, count=count(number), amount=count(rials))
        for number, rials, one, many in kinds
        if number
    ]


def _shown(iban: str) -> str:
    plain = in_one_line(iban)
    return plain if len(plain) <= _MOST_SIGNS else f"{plain[: _MOST_SIGNS - 1]}…"
