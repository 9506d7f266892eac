"""A break in words, with its arithmetic: what is wrong, by how much, and what fits."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from recon.lake.schema import RIALS, TABLES
from recon.money import format_rials
from recon.reconcile.breaks import GONE
from recon.reconcile.disclosures.unlisted import (
    IN_AN_INTERVAL,
    unlisted_between,
    unlisted_words,
)
from recon.reconcile.explain import MAX_SHOWN
from recon.reconcile.result import Result
from recon.reconcile.wallet.signatures import record_name
from recon.times import format_instant
from recon.wording import counted, in_one_line, truncated

MAX_WAYS = 5
"""So many further sets of items that fit are shown."""

_INTERVALS = "wallet_rollforward"
_NOT_COMPARED = (
    "It is not compared any more, since by cash_in.wallet_iban not all of its time is "
    "the wallet's: so the last run found it that did. Where the wallet changed, "
    "cash_in.wallet_iban_since says when."
)
_MOVED = {
    "payments": "payments that are done",
    "gateway": "gateway transactions that are verified",
    "hosted": "hosted checkouts that succeeded",
    "deposits": "deposits that are settled",
    "adjustments": "adjustments of the business",
}
_WAGES = ("wage_amount", "wage")
_NO_AMOUNTS = frozenset({"count", "rate_bps", "code"})
_AMOUNTS = frozenset(
    field.name
    for table in TABLES.values()
    for field in table.columns
    if field.type == RIALS and field.name not in _NO_AMOUNTS
)
"""In rials, or in toman where the name says so."""
_SHOWN = (
    *("status", "state", "outcome", "code", "error_code", "payment_method", "count"),
    *("iban", "created_at", "sent_at", "requested_at", "occurred_at", "paid_at"),
    *("verified_at", "settled_at", "booked_at", "expires_at", "revoked_at"),
    *("origin", "seen_at"),
)
"""What a rule judges beside amounts: a break of a mandate's end has that end, say.

Of two versions that say the same, `origin` tells which one a file brought.
"""
_MOST_SIGNS = 200

Row = Mapping[str, Any]


@dataclass
class Told:
    """A break in words: `lines` for people, and the figures and items behind them.

    Amounts in rials. `items` is one row an item of a set that explains an interval of
    the wallet (`solution` 1 counts), empty for every other check.
    """

    lines: list[str] = field(default_factory=list)
    figures: dict[str, int | None] = field(default_factory=dict)
    items: list[dict[str, Any]] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {"words": self.lines, "figures": self.figures, "items": self.items}


def tell(result: Result, found: Mapping[str, Any]) -> Told:
    """Tell about a break from what `evidence` returned for it.

    Descriptions of its records are told as they are: who hides people does it before.

    For an interval of the wallet: the sum from snapshot to snapshot, the items that
    explain its rest with sets that fit as well, hints, and deposits that count as not
    landed for want of a listed status. For any other check: the rule, the figures,
    what they look like, and the records.
    """
    row = found["break"]
    told = Told()
    told.lines += _heading(row)
    told.lines += _rule(found.get("rule", {}))
    interval = _interval(result, row) if row["check"] == _INTERVALS else None
    if interval is None:
        if row["check"] == _INTERVALS and row["status"] != GONE:
            told.lines += [_NOT_COMPARED, ""]
        _tell_figures(told, row, found["records"])
        told.lines += _records(found["records"], found.get("more_records", False))
    else:
        _tell_interval(told, interval, _items(result, interval))
        told.lines += _unlisted(result, interval)
    return told


def _heading(row: Row) -> list[str]:
    when = f", {row['business_date']}" if row.get("business_date") else ""
    old = counted(row["age_days"], "day")
    return [
        f"{row['check']} ({row['severity']}): {row['record_id']}{when}",
        *([f"related: {row['related_id']}"] if row.get("related_id") else []),
        f"{row['status']}, first seen {row['first_seen']}, {old} old",
        "",
    ]


def _rule(rule: Mapping[str, str]) -> list[str]:
    named = {"finds": "It finds", "why": "Why", "do": "Do", "false alarm": "Mind"}
    lines = [f"{named[key]}: {text}" for key, text in rule.items() if key in named]
    return [*lines, ""] if lines else []


def _interval(result: Result, row: Row) -> Row | None:
    found = result.engine.query(
        "select * from int_wallet_rollforward where wallet = $wallet",
        wallet=_wallet(row),
    ).to_pylist()
    ends = (each for each in found if format_instant(each["to_at"]) == _end(row))
    return next(ends, None)


def _wallet(row: Row) -> str:
    return str(row["record_id"]).partition(":")[0]


def _end(row: Row) -> str:
    return str(row["record_id"]).partition(":")[2]


def _items(result: Result, interval: Row) -> list[dict[str, Any]]:
    found = result.engine.query(
        "select item_id, product, record_id, kind, effect_rial, solution, is_unique "
        "from int_wallet_explanations where wallet = $wallet and to_at = $to_at "
        "order by solution, item_id",
        wallet=interval["wallet"],
        to_at=interval["to_at"],
    )
    return list(found.to_pylist())


def _tell_interval(told: Told, interval: Row, items: Sequence[dict[str, Any]]) -> None:
    figures = {
        name: interval[f"{name}_rial"]
        for name in (
            "opening",
            *_MOVED,
            "expected_closing",
            "closing",
            "difference",
            "explained",
            "unexplained",
        )
    }
    told.figures = figures
    told.items = list(items)
    told.lines += [
        f"The wallet {interval['wallet']}, in rials:",
        f"from {format_instant(interval['from_at'])}",
        f"to   {format_instant(interval['to_at'])}",
        "",
        *_sum(figures),
        "",
    ]
    told.lines += list(_ways(items, figures))
    if interval["detail"]:
        told.lines.append(interval["detail"])


def _unlisted(result: Result, interval: Row) -> list[str]:
    """Tell of deposits that would have moved the wallet if their status were listed."""
    found = unlisted_between(
        result.sql,
        interval["from_at"],
        interval["to_at"],
        result.engine.settings.checks.clock_skew,
    )
    return [unlisted_words(found, IN_AN_INTERVAL)] if found else []


def _sum(figures: Mapping[str, int | None]) -> list[str]:
    rows = [
        (" ", "opening", "in the wallet at the first snapshot"),
        *(("+", name, words) for name, words in _MOVED.items()),
        ("=", "expected_closing", "so much should be there"),
        (" ", "closing", "in the wallet at the second snapshot"),
        ("=", "difference", "that less what should be there"),
        ("-", "explained", "explained by items that may have landed"),
        ("=", "unexplained", "that nothing explains"),
    ]
    shown = [(sign, _rials(figures[name]), words) for sign, name, words in rows]
    width = max(len(amount) for _, amount, _ in shown)
    return [f"  {sign} {amount:>{width}}  {words}" for sign, amount, words in shown]


def _ways(
    items: Sequence[dict[str, Any]], figures: Mapping[str, int | None]
) -> Iterator[str]:
    """Yield the set that counts as a sum, then those that fit as well."""
    for solution, group in groupby(items, key=lambda item: item["solution"]):
        way = list(group)
        if solution > MAX_WAYS + 1:
            last = items[-1]["solution"]
            least = "at least " if last >= MAX_SHOWN else ""  # no more are kept
            yield f"  … and {least}{counted(last - MAX_WAYS - 1, 'more set')}"
            yield ""
            return
        if solution == 1:
            only = "the only set" if way[0]["is_unique"] else "one set of several"
            yield f"Explained, {_rials(figures['explained'])}, by {only} of few items:"
        else:
            yield "It may as well be:"
        for item in way:
            yield (
                f"  {item['effect_rial']:+,}  {record_name(item['kind'])} "
                f"{item['record_id']} ({item['kind'].replace('_', ' ')})"
            )
        yield f"  = {_rials(sum(item['effect_rial'] for item in way))}"
        yield ""


def _tell_figures(told: Told, row: Row, records: Sequence[Row]) -> None:
    names = ("expected", "actual", "difference")
    told.figures = {name: row.get(name) for name in names}
    expected, actual, difference = told.figures.values()
    if difference is not None:
        told.lines.append(
            f"{_rials(actual)} found - {_rials(expected)} expected "
            f"= {_rials(difference)} rials"
        )
    elif expected is not None or actual is not None:
        told.lines.append(
            f"found: {_rials(actual)}, expected: {_rials(expected)} (rials)"
        )
    if row.get("detail"):
        told.lines.append(row["detail"])
    if expected is not None and actual is not None:
        told.lines += [
            f"A hint only: {line}." for line in likenesses(expected, actual, records)
        ]


def likenesses(expected: int, actual: int, records: Sequence[Row]) -> list[str]:
    """Say which arithmetic signature two amounts have: ×10, sign, a wage, an amount.

    `records` are rows of the lake; amounts in rials.
    """
    found = []
    if expected and actual == 10 * expected:
        found.append("it is exactly ten times what is expected, as toman for rials")
    if actual and expected == 10 * actual:
        found.append("it is exactly a tenth of what is expected, as rials for toman")
    if expected and actual == -expected:
        found.append("it is what is expected with the opposite sign")
    if expected and actual == 2 * expected:
        found.append("it is exactly twice what is expected")
    rest = abs(actual - expected)
    found += [
        f"the difference is exactly the {name} of {_name(record)}, {_rials(rest)}"
        for record in records
        for name in _WAGES
        if rest and record.get(name) and abs(record[name]) == rest
    ]
    return list(dict.fromkeys(found))


def _records(records: Sequence[Row], has_more: bool) -> Iterator[str]:
    if not records:
        return
    yield ""
    told = counted(len(records), "stored version")
    several = len(set(map(_name, records)))
    if several < len(records):
        told = f"{counted(several, 'record')} in {told}"
    more = "; there are more than these" if has_more else ""
    yield f"The records behind it, {told}{more}:"
    for record in records:
        figures = [
            f"{name} {_rials(value)}"
            for name, value in record.items()
            if name in _AMOUNTS and isinstance(value, int)
        ]
        keys = TABLES[record["table"]].key
        said = [
            f"{name} {record[name]}"
            for name in _SHOWN
            if record.get(name) not in (None, "") and name not in keys
        ]
        yield f"  {_name(record)}: {', '.join([*figures, *said])}"
        if described := record.get("description"):
            described = in_one_line(" ".join(described.split()))
            yield f"    {truncated(described, _MOST_SIGNS)}"


def _name(record: Row) -> str:
    table = str(record["table"])
    keys = [record.get(key) for key in TABLES[table].key]
    return f"{table} {' '.join(str(key) for key in keys if key is not None)}".strip()


def _rials(amount: int | None) -> str:
    return "unknown" if amount is None else format_rials(amount)
