"""`recon import`: files of the business into the lake."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from recon.cli import completion, options
from recon.cli.output import print_json, print_lines, say
from recon.wording import counted, in_one_line

if TYPE_CHECKING:
    from collections.abc import Collection

    from recon.imports.importing import FileReport
    from recon.lake import Lake


@click.command("import")
@click.argument("kind", shell_complete=completion.kinds)
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--value",
    "values",
    multiple=True,
    metavar="COLUMN=VALUE",
    help="What a column is in each row of files that have no such column.",
)
@click.option(
    "--layout",
    metavar="NAME",
    help="Read the files as [imports.layouts.NAME] says, in place of [imports].",
)
@click.option(
    "--void",
    "is_void",
    is_flag=True,
    help="Take the import of these files back: their rows count no longer.",
)
@options.config_option
@options.json_option
@options.dry_run_option
def command(
    kind: str,
    files: tuple[Path, ...],
    values: tuple[str, ...],
    layout: str | None,
    is_void: bool,
    config: str | None,
    as_json: bool,
    dry_run: bool,
) -> None:
    """Take files of one KIND, all or none; the same files twice change nothing.

    Kinds: books, balances, deposits, adjustments, bank_statement, tariff,
    gateway_tokens, hosted_checkouts, events. Files: CSV, Excel, Parquet, JSON lines;
    bank statements also camt.053 and MT940.
    [imports.columns.KIND] names the columns of your own files, [imports.values.KIND]
    or --value says what a column is that they lack (--value iban=IR… for a bank's
    export of one account), [imports.words.KIND.COLUMN] what the words in it mean,
    [imports.skip.KIND] which rows are passed over; --dry-run shows what was understood.
    Files of another make have a layout: [imports.layouts.NAME.columns.KIND] and so on.
    --void takes the import of files back, which may be gone by now; what earlier files
    say of the same keys counts again.
    """
    from recon.imports.importing import take
    from recon.pull.runner import refuse_strangers
    from recon.reports.earlier import refuse_lost

    given = dict(map(_pair, values))
    if is_void and (given or layout is not None):
        option = "--value" if given else "--layout"
        raise click.UsageError(f"--void takes files back, and has no use for {option}")
    settings = options.settings(config)
    lake = options.lake(settings)
    if is_void:
        _void(kind, files, lake, as_json=as_json, dry_run=dry_run)
        return
    refuse_lost(settings, lake)
    refuse_strangers(settings, lake)
    report = take(
        kind, files, settings, lake, values=given, layout=layout, dry_run=dry_run
    )
    if as_json:
        print_json(report.as_dict())
        return
    for file in report.files:
        _print_file(file, kind, given, dry_run=dry_run)


def _print_file(
    file: "FileReport", kind: str, given: "Collection[str]", *, dry_run: bool
) -> None:
    """Print what became of a file; `given` are the columns of `--value`."""
    for warning in file.warnings:
        say(f"{file.name}: {warning}")
    for column in () if file.known else given:
        if column not in file.values:
            told = f"it says {column} itself; --value {column} is not used"
            say(f"{file.name}: {told}")
    verb = "would take" if dry_run else "took"
    if file.known:
        verb = "already there:"
    rows = counted(file.rows, "row")
    print_lines(f"{verb} {rows} of {kind} from {file.name}")
    if dry_run and file.columns:
        _print_columns(file)
    if file.repeated_rows:
        stand = "stands" if file.repeated_rows == 1 else "stand"
        rows = counted(file.repeated_rows, "row")
        say(f"{file.name}: {rows} {stand} in it more than once")


def _void(
    kind: str, files: tuple[Path, ...], lake: "Lake", *, as_json: bool, dry_run: bool
) -> None:
    """Take files back, and print which."""
    from recon.imports.kinds import kind_of
    from recon.imports.voiding import void

    report = void(kind, files, lake, dry_run=dry_run)
    if as_json:
        print_json(report.as_dict())
        return
    verb = "would take back" if dry_run else "took back"
    for file in report.files:
        rows = counted(file.rows, "row")
        print_lines(
            f"{verb} {rows} of {kind} from {file.name}, imported {file.imported_at}"
        )
    if kind_of(kind).journaled and not dry_run:
        say("what the journal has of them counts again with the next recon pull")


def _pair(value: str) -> tuple[str, str]:
    column, given, text = value.partition("=")
    if not given:
        raise click.UsageError(f"--value {value!r} is not allowed: COLUMN=VALUE")
    return column.strip(), text.strip()


def _print_columns(file: "FileReport") -> None:
    """Print which header of a file feeds which column, and which feed none."""
    for column, header in file.columns.items():
        print_lines(f"  {column} from {in_one_line(header)}")
    for column, value in file.values.items():
        print_lines(f"  {column} is {in_one_line(value)} in each row")
    for column, words in file.words.items():
        told = [
            f"{in_one_line(said)} is {ours or 'empty'}" for said, ours in words.items()
        ]
        print_lines(f"  {column}: {', '.join(told)}")
    if file.further:
        further = ", ".join(map(in_one_line, file.further))
        print_lines(f"  kept as they are: {further}")
