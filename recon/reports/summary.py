"""summary.json: the run's verdict for programs."""

import json
from collections import Counter
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from types import MappingProxyType
from typing import Any

import pyarrow as pa

from recon.reconcile.disclosures.bank_gaps import gaps
from recon.reconcile.disclosures.coverage import LATE_AFTER, never_imported, uncovered
from recon.reconcile.disclosures.decided import decided_breaks
from recon.reconcile.disclosures.uncompared import changes, first_balance, others
from recon.reconcile.disclosures.unjudged import unjudged
from recon.reconcile.disclosures.unlisted import renamed, unlisted
from recon.reports import breaks, duplicate_payments, rollforward, settlements
from recon.reports.masking import Masking
from recon.reports.periods import Period
from recon.reports.results import Results, Source
from recon.reports.tables import shaped
from recon.setting_values import SEVERITIES
from recon.times import EARLIEST, LATEST, format_instant, midnight

STALE_AFTER = timedelta(hours=36)
"""How long before T a source's last pull is old: a night was left out since."""

SUMMED = ("breaks", "rollforward", "duplicate_payments", "settlements")
"""The reports that the figures are of, by their names."""

_COUNTS = ("records", "pages", "new", "changed", "vanished")


def summary(
    result: Results,
    journal_from: date | None = None,
    restated: Mapping[str, int] = MappingProxyType({}),
) -> dict[str, Any]:
    """Return the whole run's figures, as `summary.json` has them without a period."""
    again = result.table("report_duplicate_payments")
    settled = result.table("report_settlements")
    tables = {
        "breaks": shaped(result.breaks, breaks.COLUMNS, sort=False),
        "rollforward": shaped(result.rollforward, rollforward.COLUMNS),
        "duplicate_payments": shaped(again, duplicate_payments.COLUMNS),
        "settlements": shaped(settled, settlements.COLUMNS),
    }
    return figures(result, Period(), tables, Masking(), journal_from, restated=restated)


def figures(
    result: Results,
    period: Period,
    tables: Mapping[str, pa.Table],
    mask: Masking | None,
    journal_from: date | None = None,
    *,
    restated: Mapping[str, int] = MappingProxyType({}),
    present: datetime | None = None,
) -> dict[str, Any]:
    """Return the summary's figures; amounts in rials.

    `breaks` (those that are `open`, and those that somebody `decided` about and that
    are found still), `wallet`, `duplicate_payments` and `missing_settlements` (those
    that never arrived at the bank) speak of the tables given, those of `SUMMED`, so of
    the same period; `sources`, `complete` and
    `exit_code` of the whole run. `run_kept` is there where the lake keeps the run, as
    it does of every night; `newest_commit`, the lake's last one that the run read,
    where it read any; `journal_from`, the first date of the long reports, where that is
    another.

    What is to be known besides is there only where there is any: `stale`, the sources
    that were last pulled long before `present` (T), and when; `never_read`, those that
    the settings name and that were never pulled; `not_run`, the checks that they leave
    out; `unlisted_deposits`, which count as not landed, since the settings do not list
    their status; what is not compared; `unjudged`, the money of which no check speaks;
    and `restated`, how many figures of each closed period are other ones now.
    """
    present = present or result.as_of
    ends = period.ends(result.zone)
    old, again = stale(result, present), tables["duplicate_payments"]
    decided = decided_breaks(tables["breaks"])
    lost = _missing(tables["settlements"])
    unsure = unlisted(result.sql, period.condition())
    unsure = renamed(unsure, mask.text) if mask else unsure  # it may name people
    return {
        "run_id": result.run_id,
        "as_of": format_instant(result.as_of),
        **({"run_kept": True} if result.is_kept else {}),
        **({"newest_commit": newest} if (newest := result.newest_commit) else {}),
        "complete": result.complete,
        "period": {
            "from": period.first and period.first.isoformat(),
            "to": period.last and period.last.isoformat(),
        },
        **({"journal_from": journal_from.isoformat()} if journal_from else {}),
        "sources": {
            name: _source(result.sources[name], mask) for name in sorted(result.sources)
        },
        **({"stale": old} if old else {}),
        **({"never_read": sorted(result.never_read)} if result.never_read else {}),
        **({"not_run": list(result.not_run)} if result.not_run else {}),
        "breaks": {
            "open": _open_breaks(tables["breaks"]),
            **({"decided": decided} if decided else {}),
        },
        "wallet": _wallet(
            tables["rollforward"],
            first_balance(result.sql, ends or LATEST),
            min(ends or present, present),
        ),
        **({"duplicate_payments": _paid_again(again)} if again.num_rows else {}),
        **({"missing_settlements": lost} if lost else {}),
        **({"unlisted_deposits": unsure} if unsure else {}),
        **_uncompared(result, period, mask),
        **_uncovered(result, period, mask),
        **_unjudged(result, period, mask),
        **({"restated": dict(restated)} if restated else {}),
        "exit_code": int(result.exit_code()),
    }


def stale(result: Results, present: datetime) -> dict[str, str]:
    """Return the sources that were last pulled long before `present`, and when."""
    return {
        name: format_instant(source.read_at)
        for name, source in sorted(result.sources.items())
        if present - source.read_at >= STALE_AFTER
    }


def render(figures: dict[str, Any]) -> bytes:
    """Write the figures as JSON, UTF-8, in a fixed order."""
    return (json.dumps(figures, ensure_ascii=False, indent=2) + "\n").encode()


def _source(source: Source, mask: Masking | None) -> dict[str, Any]:
    error = source.error
    swept_at = source.last_whole_sweep
    return {
        **{name: getattr(source, name) for name in _COUNTS},
        "complete": source.complete,
        "partial": source.partial,
        "last_whole_sweep": swept_at and format_instant(swept_at),
        "error": mask.text(error) if mask and error else error,
        "certificate": _certificate(source.certificate, mask),
    }


def _certificate(said: Mapping[str, Any], mask: Masking | None) -> dict[str, Any]:
    """Return a pull's proof; what the provider said or named in it is masked."""
    if mask is None:
        return dict(said)
    named = mask.counts(said.get("unfamiliar", {}))
    told = {
        name: mask.text(value) if isinstance(value, str) else value
        for name, value in said.items()
    }
    return {**told, **({"unfamiliar": named} if named else {})}


def _paid_again(found: pa.Table) -> dict[str, int]:
    """Count orders that were paid more than once, and sum what is known beyond."""
    return {
        "orders": found.num_rows,
        "excess": sum(filter(None, found["excess"].to_pylist())),
    }


def _missing(found: pa.Table) -> dict[str, int]:
    """Count the settlements that the bank's statements do not have, and sum them."""
    rows = zip(*(found[name].to_pylist() for name in ("status", "amount")), strict=True)
    amounts = [amount for status, amount in rows if status == "missing"]
    return {"settlements": len(amounts), "amount": sum(amounts)} if amounts else {}


def _uncompared(
    result: Results, period: Period, mask: Masking | None
) -> dict[str, Any]:
    """Return what of the wallet is not compared, where there is any."""
    begin = midnight(period.first, result.zone) if period.first else EARLIEST
    ends = begin, period.ends(result.zone) or LATEST
    found = others(result.sql, *ends)
    named = mask.counts(found) if mask else found
    changed = changes(result.sql, *ends)
    return {
        **({"wallet_changes": changed} if changed else {}),
        **({"other_balances": named} if named else {}),
    }


def _uncovered(result: Results, period: Period, mask: Masking | None) -> dict[str, Any]:
    """Return what of the period no file of the business covers, where there is any.

    `bank_gaps` are days between two statements of an account, in which the bank may
    have booked what none of them has.
    """
    unheld = [
        each | {"iban": mask.text(each["iban"]) if mask else each["iban"]}
        for each in gaps(result.sql, period.condition())
    ]
    found = uncovered(result.sql, result.as_of, result.zone, period.condition())
    never = never_imported(result.sql, result.sources)
    return {
        **({"bank_gaps": unheld} if unheld else {}),
        **({"uncovered": found} if found else {}),
        **({"never_imported": never} if never else {}),
    }


def _unjudged(result: Results, period: Period, mask: Masking | None) -> dict[str, Any]:
    """Return the money of which no check speaks; who named it may have named people."""
    found = [
        each | {"name": mask.text(each["name"]) if mask else each["name"]}
        for each in unjudged(result.sql, period.condition())
    ]
    return {"unjudged": found} if found else {}


def _open_breaks(found: pa.Table) -> dict[str, dict[str, int]]:
    """Count open breaks; every severity is named, every check that fired.

    `rials_by_check` has the sum of their differences without signs, where a check's
    breaks have any.
    """
    columns = ("status", "severity", "check", "difference")
    rows = zip(*(found[name].to_pylist() for name in columns), strict=True)
    still_open = [each for status, *each in rows if status == "open"]
    severities = Counter(severity for severity, _, _ in still_open)
    checks = Counter(check for _, check, _ in still_open)
    rials: Counter[str] = Counter()
    for _, check, difference in still_open:
        if difference is not None:
            rials[check] += abs(difference)
    return {
        "by_severity": {name: severities[name] for name in reversed(SEVERITIES)},
        "by_check": dict(sorted(checks.items())),
        "rials_by_check": dict(sorted(rials.items())),
    }


def _wallet(
    intervals: pa.Table, first: tuple[datetime, int] | None, ends: datetime
) -> dict[str, Any]:
    """Return the newest closing balance and the rest that nothing explains.

    Rests of different intervals are summed with their signs, as the wallet feels
    them; where some are in and some are out, `unexplained_gross` is the sum without
    them, so that what cancels another one is seen. Of wallets that followed one another
    the newest has the balance, from its `first` snapshot on, which ends no interval;
    None where no two snapshots are compared. `closing_at` is its time, where that is
    long before the end of what is reported: the period's, or the present; `late` where
    that is so long that its next file should have come.
    """
    rows = intervals.sort_by("to_at").to_pylist()
    known = [(row["to_at"], row["closing"]) for row in rows[-1:]]
    if known and first and first[0] >= known[0][0]:
        known = [first]
    old = [at for at, _ in known if ends - at >= STALE_AFTER]
    rests = [rest for rest in intervals["unexplained"].to_pylist() if rest]
    gross = sum(map(abs, rests))
    return {
        "closing": known[0][1] if known else None,
        "unexplained": sum(rests) if known else None,
        **({"unexplained_gross": gross} if gross != abs(sum(rests)) else {}),
        "unexplained_intervals": len(rests),
        **({"closing_at": format_instant(old[0])} if old else {}),
        **({"late": True} if old and ends - old[0] >= LATE_AFTER else {}),
    }
