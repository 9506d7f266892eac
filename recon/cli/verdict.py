"""The verdict of a night, a pull or a report, in the words of the terminal."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recon.cli.output import print_json, print_lines, print_table
from recon.wording import counted

if TYPE_CHECKING:
    from recon.pull.forecast import Forecast
    from recon.pull.runner import PullReport

_PULL_COLUMNS = (
    "source",
    "status",
    "records",
    "pages",
    "new",
    "changed",
    "vanished",
    "proof",
)


def print_summary(summary: Mapping[str, Any], disabled: Collection[str] = ()) -> None:
    """Print how a run stands: what is incomplete, open, unexplained, amiss besides.

    `disabled` are the checks that the settings leave out.
    """
    from recon.reconcile.disclosures.judgement import is_unread

    found = summary["breaks"]["open"]
    levels = {level: count for level, count in found["by_severity"].items() if count}
    wallet = summary["wallet"]
    print_lines(f"as of {summary['as_of']}, run {summary['run_id']}")
    _print_unread(summary)
    if levels:
        listed = ", ".join(f"{count:,} {level}" for level, count in levels.items())
        print_lines(f"open breaks: {listed}")
        rials = found.get("rials_by_check", {})
        rows = [
            {"check": name, "open": n, "rials": rials.get(name)}
            for name, n in found["by_check"].items()
        ]
        print_table(rows, ("check", "open", "rials"))
    elif is_unread(summary):
        print_lines("nothing is known: no source was ever read")
    else:
        print_lines("open breaks: none")
    if decided := summary["breaks"].get("decided"):
        from recon.reconcile.disclosures.decided import decided_words

        print_lines(*decided_words(decided))
    if disabled:
        print_lines(f"not run, by checks.disabled: {', '.join(sorted(disabled))}")
    if wallet["closing"] is not None:
        at = f" at {wallet['closing_at']}" if "closing_at" in wallet else ""
        print_lines(f"wallet: {wallet['closing']:,} rials{at}")
        count = wallet["unexplained_intervals"]
        where = f" in {counted(count, 'interval')}" if count else ""
        net = f"{wallet['unexplained']:,} rials"
        if gross := wallet.get("unexplained_gross"):  # what cancels another one is seen
            net = f"{gross:,} rials in and out, {net} net,"
        print_lines(f"unexplained: {net}{where}")
    elif summary["sources"]:
        print_lines("wallet: not known, there are no two balance snapshots to compare")
    _print_amiss(summary)
    _print_unproven(summary, disabled)


def _print_amiss(summary: Mapping[str, Any]) -> None:
    """Print what is no break and should be known: where there is any."""
    if again := summary.get("duplicate_payments"):
        orders = counted(again["orders"], "order")
        print_lines(f"paid more than once: {orders}, {again['excess']:,} rials beyond")
    if lost := summary.get("missing_settlements"):
        settlements = counted(lost["settlements"], "settlement")
        print_lines(f"never came to the bank: {settlements}, {lost['amount']:,} rials")
    if unsure := summary.get("unlisted_deposits"):
        from recon.reconcile.disclosures.unlisted import unlisted_words

        print_lines(unlisted_words(unsure))
    if "wallet_changes" in summary or "other_balances" in summary:
        from recon.reconcile.disclosures.uncompared import change_words, other_words

        for change in summary.get("wallet_changes", ()):
            print_lines(change_words(change))
        if found := summary.get("other_balances"):
            print_lines(other_words(found))


def _print_unproven(summary: Mapping[str, Any], disabled: Collection[str]) -> None:
    """Print what no check proves: where there is any."""
    from recon.reconcile.disclosures.unproven import unproven_words

    for line in unproven_words(summary, disabled):
        print_lines(line)


def _print_unread(summary: Mapping[str, Any]) -> None:
    """Print what could not be read whole, not of late, or never was."""
    if not summary["complete"]:
        for name, source in summary["sources"].items():
            if not source["complete"]:
                print_lines(f"INCOMPLETE: {name}: {source['error']}")
    for name, at in summary.get("stale", {}).items():
        print_lines(f"{name}: last read at {at}, and shown as it was then")
    if names := summary.get("never_read"):
        print_lines(f"never read: {', '.join(names)}")


def print_left_out(pulled: "PullReport", summary: Mapping[str, Any]) -> None:
    """Name the sources that were read before, and that the settings leave out now."""
    by_reason: dict[str, list[str]] = {}
    for each in pulled.sources:
        if each.status == "skipped" and each.source in summary["sources"]:
            by_reason.setdefault(each.error or "", []).append(each.source)
    for reason, names in by_reason.items():
        print_lines(f"not pulled, and shown as before: {', '.join(names)} ({reason})")


def print_files(files: Mapping[str, Path], *, would: bool = False) -> None:
    """Say where the reports are."""
    folder = next(iter(files.values())).parent if files else None
    if folder:
        names = ", ".join(path.name for path in files.values())
        print_lines(f"{'would write' if would else 'reports'}: {folder} ({names})")


def print_pull(report: "PullReport") -> None:
    """Print one line a source, and the reason of each that is not complete."""
    rows = [outcome.as_dict() for outcome in report.sources]
    print_table(rows, _PULL_COLUMNS)
    for row in rows:
        if row["error"]:
            print_lines(f"{row['source']}: {row['error']}")


def print_forecast(expected: "list[Forecast]", *, as_json: bool) -> None:
    """Print what a pull would ask for, and how many requests that is expected to be."""
    rows = [source.as_dict() for source in expected]
    if as_json:
        print_json(rows)
        return
    print_table(rows, ("source", "action", "requests", "reason"))
    count = counted(sum(each.requests or 0 for each in expected), "request")
    unknown = [each.source for each in expected if each.requests is None]
    told = f"; not known yet: {', '.join(unknown)}" if unknown else ""
    print_lines(f"{'at least' if unknown else 'about'} {count}, none was sent{told}")
