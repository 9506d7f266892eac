"""`recon doctor`: what is wrong, and what to do about it."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from recon.cli import options
from recon.cli.output import hanging, print_json
from recon.cli.voice import may_draw
from recon.wording import counted, printable

if TYPE_CHECKING:
    from recon.doctor import Diagnosis, Watch

_COLOURS = {"ok": "green", "warning": "yellow", "problem": "red"}
_WIDTH = 9
_MARGIN = 2 + _WIDTH
_ARROW = "-> "


@click.command("doctor")
@click.option("--deep", is_flag=True, help="Rehash every stored page, too.")
@click.option(
    "--look-up",
    is_flag=True,
    help="Ask what became of requests of unknown outcome, and journal the answers.",
)
@click.option(
    "--sweep",
    is_flag=True,
    help="Remove what killed runs left: files of the lake, drafts of pulls.",
)
@click.option(
    "--restore",
    metavar="FOLDER",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Take damaged files of the lake from this copy of it, where proven.",
)
@click.option(
    "--rebuild",
    is_flag=True,
    help="Make damaged files of pulls again from their pages, of closings from packs.",
)
@click.option(
    "--write-off",
    is_flag=True,
    help="Give up damaged runs, decisions, closings that nothing brings back.",
)
@click.option("-q", "--quiet", is_flag=True, help="Leave out what is as it should be.")
@options.config_option
@options.json_option
@options.dry_run_option
def command(
    deep: bool,
    look_up: bool,
    sweep: bool,
    restore: Path | None,
    rebuild: bool,
    write_off: bool,
    quiet: bool,
    config: str | None,
    as_json: bool,
    dry_run: bool,
) -> int:
    """Check settings, credentials, reach, clock, disk, lake and journal.

    Asks each product one harmless question. Exits 0 without a problem; else with the
    first that fits: 2 for a setting, 3 for a source out of reach or a damaged lake, 1.
    """
    from recon.doctor import Wishes, examine

    wishes = Wishes(
        deep=deep,
        look_up=look_up,
        sweep=sweep,
        restore=restore,
        rebuild=rebuild,
        write_off=write_off,
        dry_run=dry_run,
    )
    with _watched() as watch:
        diagnosis = examine(
            Path(config) if config else None, wishes=wishes, watch=watch
        )
    if quiet:
        diagnosis = diagnosis.of_trouble()
    if as_json:
        print_json(diagnosis.as_dict())
    else:
        _print(diagnosis)
    return int(diagnosis.exit_code)


def _print(diagnosis: "Diagnosis") -> None:
    from recon.doctor.findings import Level

    area = ""
    for finding in diagnosis.findings:
        if finding.area != area:
            area = finding.area
            click.echo(_styled(area, bold=True))
        mark = _styled(finding.level.ljust(_WIDTH), fg=_COLOURS[finding.level])
        click.echo(f"  {mark}{hanging(printable(finding.told), _MARGIN)}")
        if finding.do:
            do = hanging(printable(finding.do), _MARGIN + len(_ARROW))
            click.echo(f"{' ' * _MARGIN}{_ARROW}{do}")
    problems, warnings = diagnosis.count(Level.PROBLEM), diagnosis.count(Level.WARNING)
    click.echo(f"{counted(problems, 'problem')}, {counted(warnings, 'warning')}")


def _styled(text: str, **style: Any) -> str:
    """Return a text in a style, but where the terminal or its reader wants none."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return text if plain else click.style(text, **style)


@contextmanager
def _watched() -> "Iterator[Watch | None]":
    """Show a bar of the bytes of the lake on a terminal."""
    if not may_draw():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

    with Progress(
        TextColumn("reading the lake"),
        BarColumn(),
        DownloadColumn(),
        console=Console(stderr=True),
        transient=True,
    ) as bars:
        task = bars.add_task("", total=None)
        yield lambda done, total: bars.update(task, completed=done, total=total)
