"""Arithmetic signatures: what a rest that nothing explains looks like.

A hint for the person who looks into it, never counted as an explanation.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from recon.money import format_rials
from recon.reconcile.engine import Engine
from recon.times import format_instant

_MAX_SPANS = 8
MAX_HINTED = 200
"""So many intervals with an unexplained rest get hints, the earliest first."""

_MISDATED = timedelta(days=31)
_LARGER = 10
"""So many times larger are two rests together than what a later move leaves of them."""

MAX_NAMED = 3
"""So many records are named for one signature."""

_TIMES_TEN = "the wallet moved ten times the {amount} of {record}"
_TENTH = "the wallet moved a tenth of the {amount} of {record}"
_SIGN = "the wallet moved the {amount} of {record} with the opposite sign"
_ABSENT = "the {amount} of {record} is counted, and the wallet does not show it"
_TWICE = "the wallet shows the {amount} of {record} twice"
_WAGE = "it is exactly the wage of {record}, {amount}"
_UNCOUNTED = "it is exactly the {amount} of {record}, which is not counted"
_ELSEWHERE = (
    "it is exactly the {amount} of {record}, which is counted at {at}, where the "
    "wallet does not show it: is its time right"
)
_MAY_BE_LATER = (
    "if the {amount} of {record}, which is counted in the interval until {counted}, "
    "moved the wallet in that until {moved}, {left} is left there and {rest} here"
)
_UNREAD = "{source} could not be read whole since {at}: what came later may be missing"
_SETTLED = "{account} was credited {amount} on {day}, and no adjustment names it"
_PAID_IN = "{account} was debited {amount} on {day}, and no deposit names it"


@dataclass(frozen=True)
class Rest:
    """An interval's unexplained rest in rials."""

    from_at: datetime
    to_at: datetime
    amount: int


@dataclass(frozen=True)
class _Sought:
    """One amount that would make a signature fit a rest."""

    rest: int  # its place among the rests
    role: str
    amount: int
    text: str


def hints(engine: Engine, rests: Sequence[Rest]) -> list[str]:
    """Return for each rest, in words, which signatures fit; '' where none does."""
    hinted = rests[:MAX_HINTED]
    if not hinted:
        return []
    sought = [each for at, rest in enumerate(hinted) for each in _sought(at, rest)]
    lines: dict[int, list[str]] = defaultdict(list)
    for at, line in [
        *_single_records(engine, hinted, sought),
        *_all_wages(engine, hinted),
        *_missing_legs(engine, hinted),
        *_transfers(engine, hinted),
        *_elsewhere(engine, hinted),
        *_later(engine, hinted),
        *_unread(engine, hinted),
    ]:
        lines[at].append(line)
    told = ["; ".join(lines[at]) for at in range(len(hinted))]
    skipped = f"no signature was looked for: more than {MAX_HINTED} such intervals"
    return told + [skipped] * (len(rests) - len(hinted))


def _sought(at: int, rest: Rest) -> Iterable[_Sought]:
    """Yield the amounts that would fit a rest: integer division only where exact."""
    amount = rest.amount
    yield _Sought(at, "uncounted", amount, _UNCOUNTED)
    yield _Sought(at, "counted", -amount, _ABSENT)
    yield _Sought(at, "counted", amount, _TWICE)
    yield _Sought(at, "wage", abs(amount), _WAGE)
    if amount % 9 == 0:
        yield _Sought(at, "counted", amount // 9, _TIMES_TEN)
        yield _Sought(at, "counted", amount // 9 * -10, _TENTH)
    if amount % 2 == 0:
        yield _Sought(at, "counted", amount // -2, _SIGN)


def _single_records(
    engine: Engine, rests: Sequence[Rest], sought: Sequence[_Sought]
) -> Iterable[tuple[int, str]]:
    rows = engine.query(
        f"with rests as ({_values(rests)}), sought as ({_sought_values(sought)}) "
        "select sought.place, amounts.record_id, amounts.kind, amounts.occurred_at "
        "from sought "
        "inner join rests on sought.rest = rests.rest "
        "inner join int_wallet_amounts as amounts "
        "on amounts.role = sought.role and amounts.amount_rial = sought.amount "
        "and amounts.occurred_at > rests.from_at "
        "and amounts.occurred_at <= rests.to_at "
        f"where {_within(rests)} and amounts.amount_rial in ({_amounts(sought)}) "
        "order by sought.place, amounts.occurred_at, amounts.record_id"
    ).to_pylist()
    fitting: dict[int, list[Mapping[str, object]]] = defaultdict(list)
    for row in rows:
        fitting[row["place"]].append(row)
    for place, records in fitting.items():
        each = sought[place]
        names = " or ".join(
            f"{record_name(str(row['kind']))} {row['record_id']}"
            for row in records[:MAX_NAMED]
        )
        more = len(records) - MAX_NAMED
        names += f" or {more} more" if more > 0 else ""
        yield (
            each.rest,
            each.text.format(amount=format_rials(each.amount), record=names),
        )


def _all_wages(engine: Engine, rests: Sequence[Rest]) -> Iterable[tuple[int, str]]:
    """Yield rests that are all the fees of a product: the other side bears them."""
    rows = engine.query(
        f"with rests as ({_values(rests)}) "
        "select rests.rest, amounts.product, "
        "cast(sum(amounts.amount_rial) as bigint) as wages, count(*) as records "
        "from rests inner join int_wallet_amounts as amounts "
        "on amounts.role = 'wage' and amounts.occurred_at > rests.from_at "
        "and amounts.occurred_at <= rests.to_at "
        f"where {_within(rests)} "
        "group by rests.rest, amounts.product order by rests.rest, amounts.product"
    ).to_pylist()
    for row in rows:
        if row["records"] > 1 and row["wages"] == abs(rests[row["rest"]].amount):
            line = (
                f"it is exactly all wages of {row['product']} in the interval, "
                f"{format_rials(row['wages'])}: {_bearer(row['product'])} may be the "
                "other one"
            )
            yield row["rest"], line


def _bearer(product: str) -> str:
    """Return the setting that says who pays a product's fee."""
    key = "wage_from" if product == "cash_in" else "fee_bearer"
    return f"{product}.{key}"


def _missing_legs(engine: Engine, rests: Sequence[Rest]) -> Iterable[tuple[int, str]]:
    """Yield rests that are what the entries of a deposit request lack."""
    rows = engine.query(
        f"with rests as ({_values(rests)}) "
        "select rests.rest, requests.track_id, requests.requested_rial, "
        "requests.entries_rial, requests.missing_rial "
        "from rests inner join int_deposit_requests as requests "
        "on requests.missing_rial = rests.amount "
        "and coalesce(requests.occurred_at <= rests.to_at, true) "
        "order by rests.rest, requests.track_id"
    ).to_pylist()
    for row in rows:
        line = (
            f"it is exactly the missing part of the deposit request {row['track_id']}: "
            f"{format_rials(row['requested_rial'])} asked - "
            f"{format_rials(row['entries_rial'])} in its entries = "
            f"{format_rials(row['missing_rial'])}"
        )
        yield row["rest"], line


def _transfers(engine: Engine, rests: Sequence[Rest]) -> Iterable[tuple[int, str]]:
    """Yield rests that a bank statement shows the other side of."""
    rows = engine.query(
        f"with rests as ({_values(rests)}) "
        "select rests.rest, transfers.iban, transfers.effect_rial, "
        "min(transfers.business_date) as day "
        "from rests inner join int_bank_transfers as transfers "
        "on transfers.effect_rial = rests.amount "
        "and transfers.from_at <= rests.to_at and transfers.until_at > rests.from_at "
        "group by rests.rest, transfers.iban, transfers.effect_rial "
        "order by rests.rest, transfers.iban nulls last"
    ).to_pylist()
    for row in rows:
        account = f"the account {row['iban']}" if row["iban"] else "a bank account"
        told = _SETTLED if row["effect_rial"] < 0 else _PAID_IN
        amount, day = format_rials(abs(row["effect_rial"])), row["day"].isoformat()
        yield row["rest"], told.format(account=account, amount=amount, day=day)


def _elsewhere(engine: Engine, rests: Sequence[Rest]) -> Iterable[tuple[int, str]]:
    """Yield rests of what is counted in an interval whose rest is the opposite."""
    opposite: dict[int, list[int]] = defaultdict(list)
    for at, rest in enumerate(rests):
        opposite[-rest.amount].append(at)
    pairs = [
        (at, other)
        for at, rest in enumerate(rests)
        for other in opposite.get(rest.amount, ())
        if abs(rest.to_at - rests[other].to_at) <= _MISDATED
    ]
    if not pairs:
        return
    given = ", ".join(map(str, pairs))
    rows = engine.query(
        f"with rests as ({_values(rests)}), "
        f"pairs as (select * from (values {given}) as given (rest, other)) "
        "select pairs.rest, amounts.record_id, amounts.kind, amounts.occurred_at "
        "from pairs inner join rests on pairs.other = rests.rest "
        "inner join int_wallet_amounts as amounts "
        "on amounts.role = 'counted' and amounts.amount_rial = -rests.amount "
        "and amounts.occurred_at > rests.from_at "
        "and amounts.occurred_at <= rests.to_at "
        f"where {_within([rests[other] for _, other in pairs])} "
        "order by pairs.rest, amounts.occurred_at, amounts.record_id"
    ).to_pylist()
    for row in rows:
        amount = format_rials(rests[row["rest"]].amount)
        record = f"{record_name(str(row['kind']))} {row['record_id']}"
        when = format_instant(row["occurred_at"])
        yield row["rest"], _ELSEWHERE.format(amount=amount, record=record, at=when)


def _later(engine: Engine, rests: Sequence[Rest]) -> Iterable[tuple[int, str]]:
    """Yield rests that are large only because of where something is counted.

    It is known to a span of time; beside it something small is missing, so that its
    move explains neither interval to the rial.
    """
    rows = engine.query(
        f"with rests as ({_values(rests)}) "
        "select counted.rest as counted, moved.rest as moved, movements.kind, "
        "movements.record_id, movements.effect_rial "
        "from rests as counted inner join int_wallet_movements as movements "
        "on movements.occurred_at > counted.from_at "
        "and movements.occurred_at <= counted.to_at "
        "inner join rests as moved on moved.from_at >= counted.to_at "
        "and moved.from_at < movements.latest_at "
        "where movements.product <> 'unified' and movements.certainty = 'certain' "
        "and movements.effect_rial <> 0 "
        "and movements.latest_at > movements.occurred_at "
        "order by movements.occurred_at, movements.record_id, moved.rest"
    ).to_pylist()
    for row in rows:
        counted, moved = rests[row["counted"]], rests[row["moved"]]
        effect = row["effect_rial"]
        left = {
            row["counted"]: counted.amount + effect,
            row["moved"]: moved.amount - effect,
        }
        before = abs(counted.amount) + abs(moved.amount)
        if _LARGER * sum(map(abs, left.values())) > before:
            continue
        for here, there in (left, reversed(left)):
            yield (
                here,
                _MAY_BE_LATER.format(
                    amount=format_rials(effect),
                    record=f"{record_name(str(row['kind']))} {row['record_id']}",
                    counted=format_instant(counted.to_at),
                    moved=format_instant(moved.to_at),
                    left=format_rials(left[there]),
                    rest=format_rials(left[here]),
                ),
            )


def _unread(engine: Engine, rests: Sequence[Rest]) -> Iterable[tuple[int, str]]:
    """Yield rests of intervals that end after a source was last read whole.

    Where its newest pull was whole, the next one will have what is still missing.
    """
    rows = engine.query(
        "select source, max(started_at) filter (where complete) as read_at "
        "from raw_commits where kind = 'pull' and source in "
        "('checkouts', 'gateway_transactions', 'hosted_checkouts', 'deposits') "
        "group by source having not max_by(complete, sequence) order by source"
    ).to_pylist()
    for row in rows:
        read_at = row["read_at"]
        since = format_instant(read_at) if read_at else "the first pull"
        for at, rest in enumerate(rests):
            if read_at is None or rest.to_at > read_at:
                yield at, _UNREAD.format(source=row["source"], at=since)


def record_name(kind: str) -> str:
    """Return what people call a record of this kind of movement."""
    group = kind.partition("_")[0]
    return {"gateway": "gateway token", "hosted": "hosted checkout"}.get(group, group)


def _values(rests: Sequence[Rest]) -> str:
    rows = ", ".join(
        f"({place}, {_instant(rest.from_at)}, {_instant(rest.to_at)}, {rest.amount})"
        for place, rest in enumerate(rests)
    )
    return f"select * from (values {rows}) as given (rest, from_at, to_at, amount)"


def _within(rests: Sequence[Rest]) -> str:
    """Return the bounds of all rests as constants, which the files are read by."""
    spans = [(rest.from_at, rest.to_at) for rest in rests]
    if len(spans) > _MAX_SPANS:
        spans = [(min(begin for begin, _ in spans), max(end for _, end in spans))]
    each = (
        f"(amounts.occurred_at > {_instant(begin)} "
        f"and amounts.occurred_at <= {_instant(end)})"
        for begin, end in spans
    )
    return f"({' or '.join(each)})"


def _amounts(sought: Sequence[_Sought]) -> str:
    return ", ".join(str(amount) for amount in sorted({s.amount for s in sought}))


def _sought_values(sought: Sequence[_Sought]) -> str:
    rows = ", ".join(
        f"({place}, {each.rest}, '{each.role}', {each.amount})"
        for place, each in enumerate(sought)
    )
    return f"select * from (values {rows}) as given (place, rest, role, amount)"


def _instant(instant: datetime) -> str:
    return f"timestamptz '{instant.isoformat()}'"
