"""The options that many commands share, and what they turn into."""

import getpass
from collections.abc import Callable
from datetime import date, datetime, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from recon.errors import UsageError

if TYPE_CHECKING:
    from recon.lake import Lake
    from recon.settings import Settings

_LONGEST_HELP = 400  # signs; the first sentence ends before
_Command = TypeVar("_Command", bound=Callable[..., Any])


class Group(click.Group):
    """A command with subcommands, each listed by the whole first sentence of its help.

    Click cuts sentences off where the longest name leaves no room in one line.
    """

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """List the subcommands."""
        found = (
            (name, self.get_command(ctx, name)) for name in self.list_commands(ctx)
        )
        rows = [
            (name, each.get_short_help_str(_LONGEST_HELP))
            for name, each in found
            if each
        ]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def config_option(command: _Command) -> _Command:
    """Add `--config PATH`; the command gets `config`, maybe None."""
    return click.option(
        "--config",
        metavar="PATH",
        callback=lambda ctx, _, value: value or ctx.find_root().obj,
        help="The settings file (RECON_CONFIG, else ./recon.toml).",
    )(command)


def own_config_option(command: _Command) -> _Command:
    """Add `--config PATH` to a command that makes its own settings, or needs none."""
    return click.option(
        "--config",
        metavar="PATH",
        expose_value=False,
        help="Not read: this command needs no settings file.",
    )(command)


def json_option(command: _Command) -> _Command:
    """Add `--json`; the command gets `as_json`."""
    return click.option(
        "--json", "as_json", is_flag=True, help="Print JSON on standard output."
    )(command)


def dry_run_option(command: _Command) -> _Command:
    """Add `--dry-run`: say what would be done, write nothing."""
    return click.option(
        "--dry-run", is_flag=True, help="Say what would be done; write nothing."
    )(command)


def as_of_option(command: _Command) -> _Command:
    """Add `--as-of T`; the command gets the text, read by `instant`."""
    return click.option(
        "--as-of",
        metavar="T",
        help="What was known at this instant (ISO 8601, Jalali or Unix seconds).",
    )(command)


def hand_on(ctx: click.Context, config: str | None, **given: Any) -> None:
    """Give the options that stand before a subcommand to it, by their parameters.

    Raises UsageError where it has no such option: none is dropped in silence.
    """
    ctx.find_root().obj = config
    named, group = ctx.invoked_subcommand or "", ctx.command
    called = group.get_command(ctx, named) if isinstance(group, click.Group) else None
    taken = {each.name for each in called.params} if called else set()
    wished = {name: each for name, each in given.items() if each not in (None, False)}
    for each in group.params:
        if each.name in wished.keys() - taken:
            raise click.UsageError(f"{each.opts[0]}: {named} has no such option", ctx)
    ctx.default_map = {named: wished}


def who(by: str | None) -> str:
    """Return who decides or closes: `--by`, else the system's user.

    Raises UsageError where the system has no name for its user, as in some containers.
    """
    if by is not None:
        return by
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        raise UsageError("--by: name one; the system's user has no name") from None


def settings(config: str | None) -> "Settings":
    """Read the settings for a command."""
    from recon import setting_files

    return setting_files.load(Path(config) if config else None)


def lake(settings: "Settings") -> "Lake":
    """Open the settings' lake."""
    from recon.lake import Lake

    return Lake.of(settings)


def instant(
    text: str | None, settings: "Settings", option: str = "--as-of"
) -> datetime | None:
    """Read an instant as a user writes it; a local time is the business's."""
    from recon import times

    if text is None:
        return None
    try:
        return times.typed_instant(text, settings.business.timezone)
    except ValueError as error:
        raise UsageError(f"{option}: {error}") from None


def day(text: str | None, settings: "Settings", option: str) -> date | None:
    """Read a business date, ISO or Jalali (`1405-08-30`)."""
    return None if text is None else day_in(settings.business.timezone, text, option)


def day_in(zone: tzinfo, text: str, option: str) -> date:
    """Read a date of either calendar; one of an instant is the zone's."""
    from recon import times

    try:
        return times.business_date(times.typed_instant(text, zone), zone)
    except ValueError as error:
        wanted = "must be a date like 2026-10-31, or the Jalali 1405-08-09"
        raise UsageError(f"{option}: {wanted}: {error}") from None
