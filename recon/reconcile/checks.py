"""Checks: the header of each file, and running them all into one list of breaks."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import pyarrow as pa

from recon.errors import UsageError
from recon.lake.schema import INSTANT, RIALS, TEXT
from recon.reconcile.engine import Engine
from recon.reconcile.models import Catalogue, Model, shipped_catalogue
from recon.setting_values import SEVERITIES
from recon.settings import Settings
from recon.wording import lasting

PRODUCTS = ("unified", "cash_in", "gateway", "hosted", "escrow", "wallet", "books")
EVERY_PRODUCT = "every"
_KEYS = ("finds", "why", "do", "severity", "product", "record", "source")
_OPTIONAL = "false alarm"
_LINE = re.compile(r"-- (?P<key>[a-z][a-z ]*?): (?P<text>.+)")
_CONTINUED = "--   "
_MARKED = re.compile(
    r"\{(?:(?P<rials>-?\d+)|(?P<seconds>\d+) seconds|(?P<words>[A-Za-z ]+))\}"
)

FOUND = pa.schema(
    {
        "check": TEXT,
        "severity": TEXT,
        "product": TEXT,
        "record_id": TEXT,
        "related_id": TEXT,
        "occurred_at": INSTANT,
        "expected": RIALS,
        "actual": RIALS,
        "detail": TEXT,
    }
)
"""What the checks found: one row a break, amounts in rials."""

_QUERIED = ("record_id", "related_id", "occurred_at", "expected", "actual", "detail")


@dataclass(frozen=True)
class Check:
    """One rule: what its file's header says, and the model that finds its breaks.

    `product` is the group of the check, or `every` where its query names the product
    of each record.
    """

    name: str
    finds: str
    why: str
    do: str
    severity: str
    product: str
    record: str
    source: str
    false_alarm: str
    model: Model


@cache
def shipped_checks() -> tuple[Check, ...]:
    """Return the package's checks in the order of their names."""
    return read_checks(shipped_catalogue())


def severities(checks: Iterable[Check], settings: Settings) -> dict[str, str]:
    """Return what a break of each check weighs: by the settings, or by its header."""
    return {
        check.name: settings.checks.severity.get(check.name, check.severity)
        for check in checks
    }


def weighed(
    rows: Iterable[Mapping[str, Any]], settings: Settings
) -> list[dict[str, Any]]:
    """Return rows of breaks with the severity that their checks have now."""
    known = severities(shipped_checks(), settings)
    return [
        {**row, "severity": known.get(row["check"], row["severity"])} for row in rows
    ]


def read_checks(catalogue: Catalogue) -> tuple[Check, ...]:
    """Return a catalogue's checks; UsageError names the file of a bad header."""
    return tuple(read_check(model) for model in catalogue.checks())


def read_check(model: Model) -> Check:
    """Read the header of one check; UsageError says what is missing or wrong."""
    header = _header(model.sql)
    wanted = [key for key in header if key != _OPTIONAL]
    if wanted != list(_KEYS):
        raise UsageError(
            f"{model.place}: its header must have {', '.join(_KEYS)}, in this order"
        )
    _one_of(model, "severity", header["severity"], SEVERITIES[::-1])
    _one_of(model, "product", header["product"], (*PRODUCTS, EVERY_PRODUCT))
    return Check(
        name=model.path.stem,
        false_alarm=header.pop(_OPTIONAL, ""),
        model=model,
        **header,
    )


def run_checks(
    engine: Engine, checks: tuple[Check, ...], settings: Settings
) -> pa.Table:
    """Run every check that is not disabled; returns `FOUND`, one row a break.

    A record that a check names twice is one break: the first by its other columns.
    """
    disabled = set(settings.checks.disabled)
    severity = severities(checks, settings)
    found = [
        _run(engine, check, severity[check.name])
        for check in checks
        if check.name not in disabled
    ]
    return pa.concat_tables([FOUND.empty_table(), *found])


def _run(engine: Engine, check: Check, severity: str) -> pa.Table:
    rows = engine.table(check.model.name)
    count = rows.num_rows
    columns = set(rows.column_names)
    missing = [name for name in _QUERIED if name not in columns]
    if check.product == EVERY_PRODUCT and "product" not in columns:
        missing.append("product")
    if missing:
        raise UsageError(f"{check.model.place}: its query has no column {missing[0]!r}")
    product = (
        rows["product"]
        if "product" in columns
        else pa.repeat(pa.scalar(check.product, TEXT), count)
    )
    fixed = {
        "check": pa.repeat(pa.scalar(check.name, TEXT), count),
        "severity": pa.repeat(pa.scalar(severity, TEXT), count),
        "product": product,
    }
    taken = {name: rows[name] for name in _QUERIED}
    try:
        found = pa.table(fixed | taken).cast(FOUND)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        line = str(error).partition("\n")[0]
        raise UsageError(
            f"{check.model.place}: a column of the wrong type: {line}"
        ) from None
    details = pa.array(map(_spelled, found["detail"].to_pylist()), TEXT)
    place = FOUND.get_field_index("detail")
    return found.set_column(place, FOUND.field(place), details)


def _spelled(detail: str | None) -> str | None:
    """Return a detail with what its query marks as people write it.

    {1200000} is 1,200,000, and {5400 seconds} 90 minutes. What stands in place of an
    unknown amount, {an unknown amount}, stays as it is.
    """
    return detail and _MARKED.sub(_written, detail)


def _written(marked: re.Match[str]) -> str:
    if marked["rials"]:
        return f"{int(marked['rials']):,}"
    return lasting(int(marked["seconds"])) if marked["seconds"] else marked["words"]


def _header(sql: str) -> dict[str, str]:
    """Return the header's texts by key, in the order of the file."""
    found: dict[str, str] = {}
    key = ""
    for line in sql.splitlines():
        if not line.startswith("--"):
            break
        started = _LINE.fullmatch(line)
        if started:
            key = started["key"]
            found[key] = started["text"].strip()
        elif key and line.startswith(_CONTINUED):
            found[key] += " " + line.removeprefix(_CONTINUED).strip()
    return found


def _one_of(model: Model, key: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise UsageError(
            f"{model.place}: its {key} is {value!r}; it may be {', '.join(allowed)}"
        )
