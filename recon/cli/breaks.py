"""`recon breaks`: the open differences, their evidence, and their handling."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from recon.cli import completion, options
from recon.cli.output import print_json, print_lines, print_table, say
from recon.cli.values import as_text
from recon.wording import counted, meant

if TYPE_CHECKING:
    from datetime import datetime

    import pyarrow as pa

    from recon.lake import Lake
    from recon.reconcile.decisions import Change
    from recon.reconcile.result import Result
    from recon.settings import Settings

_SHOWN = (
    *("break_id", "severity", "check", "record_id", "difference", "age_days"),
    *("status", "assignee", "note"),
)
_IN_WORDS = ("break", "rule", "wallet")  # of what stands behind a break
_DECIDED = ("break_id", "check", "record_id", "action", "assignee", "reason")


@click.group("breaks", cls=options.Group, invoke_without_command=True)
@options.config_option
@options.json_option
@click.pass_context
def command(ctx: click.Context, config: str | None, as_json: bool) -> None:
    """List the open differences, show and explain them, and decide about them.

    An id may be shortened to a beginning that no other break has.
    """
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_breaks, config=config, as_json=as_json)
    else:
        options.hand_on(ctx, config, as_json=as_json)


@command.command("list")
@options.config_option
@options.json_option
@options.as_of_option
@click.option("--check", shell_complete=completion.checks, help="Only of this check.")
@click.option(
    "--severity",
    type=click.Choice(["info", "warning", "error", "critical"]),
    help="Only of this severity.",
)
@click.option(
    "--status",
    type=click.Choice(["open", "acknowledged", "resolved", "gone"]),
    help="Only of this status.",
)
@click.option("--assignee", help="Only of this person.")
@click.option("--ageing", is_flag=True, help="Count what waits by severity and days.")
def list_breaks(
    config: str | None = None,
    as_json: bool = False,
    as_of: str | None = None,
    check: str | None = None,
    severity: str | None = None,
    status: str | None = None,
    assignee: str | None = None,
    ageing: bool = False,
) -> None:
    """List the breaks of the last run, or as of an instant."""
    from recon.reconcile import decisions
    from recon.reconcile.console import last_result
    from recon.reports.masking import masking

    if ageing and status in ("resolved", "gone"):
        raise click.UsageError(f"--ageing counts what waits: what is {status} does not")
    settings, lake, instant = _opened(config, as_of)
    with last_result(lake, settings, as_of=instant) as result:
        known = decisions.standings(lake, instant or lake.now())
        table = decisions.with_standing(result.breaks, known)
        table = table if as_json else table.select(_SHOWN)
        if check:
            _refuse_unknown(check, table["check"].to_pylist())
        _say_known(result, instant or lake.now())
        if check in settings.checks.disabled:
            say(f"{check} is not run: checks.disabled names it")
        elif settings.checks.disabled and not check:
            say(f"not run, by checks.disabled: {', '.join(settings.checks.disabled)}")
        # before people are masked: whoever has a break may be, too
        of_check = _of(table, {"check": check})
        wanted = {"severity": severity, "status": status, "assignee": assignee}
        table = _of(of_check, wanted)
        if of_check.num_rows > table.num_rows == 0:
            say(_left_out(of_check.num_rows, [key for key in wanted if wanted[key]]))
        mask = masking(result, settings, [table])
        rows = (mask.table(table) if mask else table).to_pylist()
    if ageing:
        rows = decisions.ageing(rows)
    if as_json:
        print_json(rows)
    elif rows:
        print_table(rows, tuple(rows[0]) if ageing else _SHOWN)
    elif any(each.kind in ("pull", "import") for each in lake.commits(instant)):
        print("no breaks")
    else:
        print("nothing is known: the lake is empty")


def _of(table: "pa.Table", wanted: Mapping[str, str | None]) -> "pa.Table":
    """Return the breaks that have the given values; an empty one is any."""
    import pyarrow.compute as pc

    for column, value in wanted.items():
        if value:
            table = table.filter(pc.equal(table[column], value))
    return table


def _left_out(count: int, given: Sequence[str]) -> str:
    """Say that there are breaks, where filters leave none of them."""
    verb = "is" if count == 1 else "are"
    by = " and ".join(f"--{column}" for column in given)
    return f"{counted(count, 'break')} {verb} left out by {by}"


def _say_known(result: "Result", present: "datetime") -> None:
    """Say of what instant the breaks are, and what nobody knew of by then."""
    from recon.reports.summary import stale
    from recon.times import format_instant

    missing = [name for name, each in result.sources.items() if not each.complete]
    say(f"as of {format_instant(result.as_of)}")
    if missing:
        say(f"could not be read whole: {', '.join(sorted(missing))}")
    if result.never_read:
        say(f"never read: {', '.join(sorted(result.never_read))}")
    for name, at in stale(result, present).items():
        say(f"{name}: last read at {at}, and shown as it was then")


@command.command("show")
@click.argument("break_id")
@options.config_option
@options.json_option
@options.as_of_option
@click.option(
    "--pack",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Write it all, with the stored responses, to a new folder.",
)
@options.dry_run_option
def show(
    break_id: str,
    config: str | None,
    as_json: bool,
    as_of: str | None,
    pack: Path | None,
    dry_run: bool,
) -> None:
    """Show a break: its figures, its rule, and the stored responses behind it.

    People in it are masked, unless reports.personal_data is keep; secrets always are.
    """
    from recon.close.evidence_packs import write_pack
    from recon.reconcile.console import last_result
    from recon.reconcile.decisions import Standing, standings, whole_ids
    from recon.reconcile.evidence import evidence
    from recon.reports.disclosure import Disclosure

    settings, lake, instant = _opened(config, as_of)
    with last_result(lake, settings, as_of=instant) as result:
        (identity,) = whole_ids(result.breaks, [break_id])
        found = evidence(result, identity) or {}
        known = standings(lake, instant or lake.now())
        found["decisions"] = list(known.get(identity, Standing()).decisions)
        files = {}
        if pack and not dry_run:
            files = write_pack(result, settings, found, pack)
        found = Disclosure(result, settings, found).evidence(found)
    if as_json:
        print_json(found)
    else:
        _print_evidence(found)
    if pack:
        count = f" ({len(files):,} files)" if files else ""
        say(f"{'would write' if dry_run else 'written'}: {pack}{count}")


@command.command("explain")
@click.argument("break_id")
@options.config_option
@options.json_option
@options.as_of_option
def explain(
    break_id: str, config: str | None, as_json: bool, as_of: str | None
) -> None:
    """Explain a break in words, with its arithmetic and what fits it."""
    from recon.reconcile.console import last_result
    from recon.reconcile.decisions import whole_ids
    from recon.reconcile.evidence import evidence
    from recon.reconcile.telling import tell
    from recon.reports.disclosure import Disclosure

    settings, lake, instant = _opened(config, as_of)
    with last_result(lake, settings, as_of=instant) as result:
        (identity,) = whole_ids(result.breaks, [break_id])
        found = evidence(result, identity) or {}
        disclosure = Disclosure(result, settings, found)
        told = tell(result, {**found, "records": disclosure.rows(found["records"])})
        told.lines = disclosure.words(told.lines)
        told.items = disclosure.rows(told.items)
    if as_json:
        print_json({"break_id": identity, **told.as_dict()})
    else:
        print_lines("\n".join(told.lines))


def _decision_options(
    decide: Callable[..., None],
) -> Callable[..., None]:
    """Add what every decision has: `--by`, `--dry-run`, `--json`, `--config`."""
    for option in (
        options.dry_run_option,
        click.option("--by", metavar="WHO", help="Who decides (the system's user)."),
        options.json_option,
        options.config_option,
    ):
        decide = option(decide)
    return decide


@command.command("acknowledge")
@click.argument("break_ids", nargs=-1, required=True, metavar="ID…")
@click.option("--reason", metavar="TEXT", help="Why it may stay open.")
@_decision_options
def acknowledge(break_ids: Sequence[str], reason: str | None, **given: Any) -> None:
    """Say that breaks are known; none fails a night until it goes away and returns."""
    _decide(break_ids, "acknowledge", {"reason": reason}, **given)


@command.command("resolve")
@click.argument("break_ids", nargs=-1, required=True, metavar="ID…")
@click.option("--reason", metavar="TEXT", required=True, help="What settled it.")
@_decision_options
def resolve(break_ids: Sequence[str], reason: str, **given: Any) -> None:
    """Say that breaks are settled; one that goes away and returns is open again."""
    _decide(break_ids, "resolve", {"reason": reason}, **given)


@command.command("reopen")
@click.argument("break_ids", nargs=-1, required=True, metavar="ID…")
@click.option("--reason", metavar="TEXT", help="Why it is open again.")
@_decision_options
def reopen(break_ids: Sequence[str], reason: str | None, **given: Any) -> None:
    """Undo an acknowledgement or a resolution; what was decided stays on record."""
    _decide(break_ids, "reopen", {"reason": reason}, **given)


@command.command("assign")
@click.argument("break_ids", nargs=-1, required=True, metavar="ID…")
@click.option("--to", "assignee", metavar="WHO", required=True, help="Who has them.")
@_decision_options
def assign(break_ids: Sequence[str], assignee: str, **given: Any) -> None:
    """Give breaks to someone."""
    _decide(break_ids, "assign", {"assignee": assignee}, **given)


@command.command("note")
@click.argument("words", nargs=-1, required=True, metavar="ID… TEXT")
@_decision_options
def note(words: Sequence[str], **given: Any) -> None:
    """Write something down about breaks."""
    *break_ids, text = words
    if not break_ids:
        raise click.UsageError("Missing argument 'TEXT'.")
    _decide(break_ids, "note", {"reason": text}, **given)


@command.command("apply")
@click.argument("file", type=click.Path(path_type=Path))
@_decision_options
def apply(
    file: Path, config: str | None, as_json: bool, by: str | None, dry_run: bool
) -> None:
    """Make the decisions of an edited breaks.csv (or Excel), all or none.

    Columns: break_id, status; optional reason, assignee, note. A status counts only
    where it differs from the break's: acknowledged, resolved with a reason, or
    reopened. The Persian workbook's own titles will do, and دلیل, مسئول, یادداشت.
    """
    from recon.charts.columns import by_title
    from recon.reconcile import decisions
    from recon.reconcile.console import last_result
    from recon.reconcile.decision_files import found_before, read_edits

    settings, lake, _ = _opened(config)
    with last_result(lake, settings) as result:
        edits = read_edits(
            file,
            result.breaks,
            decisions.standings(lake, lake.now()),
            found_before(result),
            by_title(),
        )
        rows = decisions.decided(result.breaks, edits.changes)
        known = decisions.looked_at(result, edits.changes)
    for line in edits.left:
        say(f"{file.name}, {line}")
    _keep(lake, edits.changes, rows, known, as_json=as_json, by=by, dry_run=dry_run)


def _decide(
    break_ids: Sequence[str],
    action: str,
    said: Mapping[str, str | None],
    *,
    config: str | None,
    **given: Any,
) -> None:
    from recon.reconcile import decisions
    from recon.reconcile.console import last_result

    settings, lake, _ = _opened(config)
    wanted = decisions.decision("", action, **said)
    with last_result(lake, settings) as result:
        changes = [
            replace(wanted, break_id=identity)
            for identity in decisions.whole_ids(result.breaks, break_ids)
        ]
        rows = decisions.decided(result.breaks, changes)
        known = decisions.looked_at(result, changes)
    _keep(lake, changes, rows, known, **given)


def _keep(
    lake: "Lake",
    changes: "Sequence[Change]",
    rows: Sequence[Any],
    known: Mapping[str, Any],
    *,
    as_json: bool,
    by: str | None,
    dry_run: bool,
) -> None:
    """Keep decisions on what a run found, unless it is a rehearsal; print them."""
    from recon.reconcile.decisions import record

    decider = options.who(by)
    if not dry_run:
        record(lake, changes, by=decider, known=known)
    if as_json:
        print_json(rows)
    elif rows:
        print_table(rows, _DECIDED)
        verb = "would be made" if dry_run else "made"
        print(f"{counted(len(rows), 'decision')} {verb} by {decider}")
    else:
        print("nothing to decide: every status is as the file says")


def _opened(
    config: str | None, as_of: str | None = None
) -> "tuple[Settings, Lake, datetime | None]":
    settings = options.settings(config)
    return settings, options.lake(settings), options.instant(as_of, settings)


def _refuse_unknown(check: str, found: Sequence[str]) -> None:
    """Let no misspelt check pass for one that found nothing."""
    from recon.errors import UsageError
    from recon.reconcile.checks import shipped_checks

    known = {each.name for each in shipped_checks()}
    if check not in known.union(found):
        told = f"--check: there is no check {check!r}{meant(check, known)}"
        raise UsageError(told)


def _print_evidence(found: Mapping[str, Any]) -> None:
    """Print evidence; what is stored, and the query, in the lines that it has."""
    for name, value in found.items():
        if isinstance(value, list):
            print_lines(f"\n{name}:" if value else f"\n{name}: none")
            for place, item in enumerate(value):
                lines = (f"{key}: {as_text(each)}" for key, each in item.items())
                apart = "\n" if place else ""
                print_lines(f"{apart}  " + "\n  ".join(lines), is_prose=False)
        elif isinstance(value, Mapping):
            print_lines(f"\n{name}:")
            for key, each in value.items():
                print_lines(f"  {key}: {as_text(each)}", is_prose=name in _IN_WORDS)
        else:
            print_lines(f"{name}: {as_text(value)}")
