"""What stands behind a break: its rule, its records, and the stored answers.

Every version of a record that was visible as of T is shown, so that a restatement can
be read as it came.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from recon.lake import Lake, Page
from recon.reconcile.checks import Check, shipped_checks
from recon.reconcile.result import Result
from recon.times import format_instant

MAX_RECORDS = 50
"""So many versions of records are shown; that there are more is told beside them."""

MAX_EXCERPT = 4_000
"""So many characters of a stored answer are shown; its hash is of all of it."""

_PRODUCTS: dict[str, dict[str, tuple[str, ...]]] = {
    "unified": {
        "checkouts": ("id", "request_id", "checkout_number"),
        "payments": ("id", "ref_id", "checkout_id"),
        "mandates": ("id",),
    },
    "cash_in": {"deposits": ("track_id", "gateway_transaction_id")},
    "gateway": {
        "gateway_tokens": ("token", "factor_number"),
        "gateway_transactions": ("token", "trans_id", "refnumber"),
    },
    "hosted": {
        "hosted_requests": ("checkout_id", "checkout_number"),
        "hosted_checkouts": ("id", "checkout_number"),
    },
    "escrow": {
        "agreements": ("tracking_code", "trace_id"),
        "events": ("tracking_code", "trace_id"),
    },
    "books": {"books": ("reference",)},
    "wallet": {},
}
"""The tables of each product, and the columns by which a break names their records."""

_BY_TIME = {"balances": ("at", "balance"), "bank_statement": ("booked_at", "amount")}
"""The time and the figure of records that have no id of their own."""

_DEBITS = "bank_debit_unexplained"
"""The check whose breaks name entries of a bank statement."""

_EVENTS = "escrow_event_uncorroborated"
"""The check whose breaks name events as `int_escrow_events` does."""

_USES = "mandate_count_exceeded"
"""The check whose breaks name a month of a mandate, in which payments are too many."""


def evidence(result: Result, break_id: str) -> dict[str, Any] | None:
    """Return what stands behind a break of a run, None if it has no such break.

    `break` is its row, `rule` the header of its check, `wallet` the roll-forward's own
    words where it speaks of one, `records` the rows that it names with the pull, page
    and position they came from (the first MAX_RECORDS; `more_records` is true where
    there are others), `pages` their stored answers, `query` the check's file.
    """
    found = [row for row in result.breaks.to_pylist() if row["break_id"] == break_id]
    if not found:
        return None
    row = found[0]
    check = next((c for c in shipped_checks() if c.name == row["check"]), None)
    records = _records(result, row)
    shown: dict[str, Any] = {"break": _plain(row)}
    if check:
        shown["rule"] = _rule(check)
    if row["product"] == "wallet":
        shown["wallet"] = _wallet(result, row)
    if len(records) > MAX_RECORDS:
        records = records[:MAX_RECORDS]
        shown["more_records"] = True
    shown["records"] = [_plain(record) for record in records]
    shown["pages"] = list(_pages(result.lake, records, _names(row)))
    if check:
        shown["query"] = {"file": check.model.place, "sql": check.model.sql}
    return shown


def _rule(check: Check) -> dict[str, str]:
    rule = {
        "finds": check.finds,
        "why": check.why,
        "do": check.do,
        "source": check.source,
        "false alarm": check.false_alarm,
    }
    return {name: text for name, text in rule.items() if text}


def _names(row: Mapping[str, Any]) -> list[str]:
    """Return the texts by which a break names records: whole, and their parts.

    An id that two breaks share has its kind or product before it; a month, an instant
    or a number may follow one. Ids of several related records have spaces between.
    """
    record_id, related_id = row["record_id"], row["related_id"] or ""
    first, _, rest = record_id.partition(":")
    names = [record_id, first, rest, related_id, *related_id.split()]
    return [name for name in dict.fromkeys(names) if name.strip()]


def _records(result: Result, row: Mapping[str, Any]) -> list[dict[str, Any]]:
    product = row["product"]
    wanted = _PRODUCTS.get(product, {})
    if product == "books":
        wanted = {
            name: ids for group in _PRODUCTS.values() for name, ids in group.items()
        }
    names = {f"name_{at}": name for at, name in enumerate(_names(row))}
    listed = ", ".join(f"${name}" for name in names)
    found = []
    if row["check"] == _USES:
        wanted = {"mandates": wanted["mandates"]}
    if row["check"] == _EVENTS:
        wanted = {"agreements": wanted["agreements"]}
    for table, columns in wanted.items():
        matches = " or ".join(f'"{column}" in ({listed})' for column in columns)
        found += _rows(result, table, matches, names) if names else []
    if row["check"] == _USES:
        found += _uses(result, row)
    if row["check"] == _EVENTS:
        found += _events(result, row)
    if product == "wallet" and row["occurred_at"]:
        for instant in _instants(result, row):
            found += _rows(result, "balances", '"at" = $at', {"at": instant})
    if row["check"] == _DEBITS:
        found += _debits(result, row)
    return found


def _debits(result: Result, row: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the entries of a debit's account, time and amount, which name it."""
    matches = (
        "upper(replace(iban, ' ', '')) is not distinct from $iban "
        "and booked_at is not distinct from $at and amount = -$rials"
    )
    named = {"iban": row["related_id"], "at": row["occurred_at"]}
    return _rows(result, "bank_statement", matches, named | {"rials": row["actual"]})


def _uses(result: Result, row: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return all done payments of a mandate's month, of which some are too many."""
    mandate, _, month = row["record_id"].rpartition(":")
    matches = (
        "id in (select payment_id from int_mandate_payments "
        "where mandate_id = $mandate and month = $month and is_done)"
    )
    named = {"mandate": mandate, "month": month}
    return _rows(result, "payments", matches, named)


def _events(result: Result, row: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the events that a break names: by an agreement, or by themselves."""
    matches = (
        "exists (select 1 from int_escrow_events as named "
        "where named.record_id = $record "
        "and named.occurred_at is not distinct from raw_events.created "
        "and named.event_type is not distinct from raw_events.type "
        "and named.data is not distinct from raw_events.data)"
    )
    return _rows(result, "events", matches, {"record": row["record_id"]})


def _instants(result: Result, row: Mapping[str, Any]) -> list[datetime]:
    """Return a break's time; for an interval of the wallet, that of both its ends.

    Of one that is not compared any more, that of its end.
    """
    if row["check"] != "wallet_rollforward":
        return [row["occurred_at"]]
    ends = _intervals(result, row)
    found = [instant for end in ends for instant in (end["from_at"], end["to_at"])]
    return found or [row["occurred_at"]]


def _intervals(result: Result, row: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the interval of the roll-forward that ends where a break is, if any."""
    found: list[dict[str, Any]] = result.engine.query(
        "select from_at, to_at, detail from int_wallet_rollforward "
        "where to_at = $at and wallet = $wallet",
        at=row["occurred_at"],
        wallet=row["related_id"],
    ).to_pylist()
    return found


def _rows(
    result: Result, table: str, matches: str, parameters: Mapping[str, Any]
) -> list[dict[str, Any]]:
    rows = result.engine.query(
        f'select * from "raw_{table}" where {matches} '
        f"order by pull_id, page_no, position limit {MAX_RECORDS + 1}",
        **parameters,
    )
    return [{"table": table, **row} for row in rows.to_pylist()]


def _wallet(result: Result, row: Mapping[str, Any]) -> dict[str, str]:
    told = [each["detail"] for each in _intervals(result, row) if each["detail"]]
    return {"told": " ".join(told)}


def _pages(
    lake: Lake, records: Iterable[Mapping[str, Any]], names: Sequence[str]
) -> Iterable[dict[str, Any]]:
    places: dict[tuple[str, int], list[Mapping[str, Any]]] = {}
    for record in records:
        if record["page_no"] is not None:
            place = record["pull_id"], record["page_no"]
            places.setdefault(place, []).append(record)
    for (pull_id, page_no), found in places.items():
        page = lake.page(pull_id, page_no)
        yield {
            "pull_id": pull_id,
            "page_no": page_no,
            "request": f"{page.method} {page.url}",
            "status": page.status,
            "received_at": format_instant(page.received_at),
            "sha256": page.sha256,
            "bytes": len(page.body),
            "excerpt": _excerpt(page, found, names),
        }


def _excerpt(
    page: Page, records: Sequence[Mapping[str, Any]], names: Sequence[str]
) -> str:
    """Return the part of a body that names the records; its beginning if none does."""
    text = page.body.decode("utf-8", errors="replace")
    try:
        data = json.loads(text)
        listed = data.get("data") if isinstance(data, dict) else None
        parts = [json.dumps(each, ensure_ascii=False) for each in listed or ()]
    except (ValueError, TypeError):
        parts = text.splitlines()
    lines = [line for record in records for line in _lines_of(record, parts)]
    named = list(dict.fromkeys(lines)) or [
        part for part in parts if any(name in part for name in names)
    ]
    return ("\n".join(named) or text)[:MAX_EXCERPT]


def _lines_of(record: Mapping[str, Any], lines: Sequence[str]) -> list[str]:
    """Return the lines of a balance, or a bank's entry: by their time, or their amount.

    All lines of their file have the IBAN by which a break names them.
    """
    if record["table"] not in _BY_TIME:
        return []
    time, rials = (record[name] for name in _BY_TIME[record["table"]])
    written = [re.escape(format_instant(time))] if time else []
    if rials is not None:
        plain, grouped = str(abs(rials)), f"{abs(rials):,}"
        written.append(rf"(?<!\d){plain}(?!\d)")
        written.append(rf"(?<!\d)(?<!\d,){grouped}(?!,?\d)")
    found = ([line for line in lines if re.search(each, line)] for each in written)
    return next(filter(None, found), [])


def _plain(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row's columns that have a value, with times as in reports."""
    return {name: _text(value) for name, value in row.items() if value is not None}


def _text(value: Any) -> Any:
    if isinstance(value, datetime):
        return format_instant(value)
    return value.isoformat() if isinstance(value, date) else value
