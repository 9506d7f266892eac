"""`recon breaks`: the open differences and their evidence."""

from typing import Any

import click

from recon.cli import options
from recon.cli.output import print_json, print_table
from recon.errors import UsageError

_SHOWN = ("break_id", "severity", "check", "record_id", "difference", "status")


@click.group("breaks", invoke_without_command=True)
@click.pass_context
def command(ctx: click.Context) -> None:
    """List the open differences, or show one down to the stored response."""
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_breaks)


@command.command("list")
@options.config_option
@options.json_option
@options.as_of_option
@click.option("--check", help="Only of this check.")
@click.option("--severity", type=click.Choice(["info", "warning", "error", "critical"]))
@click.option("--status", help="open, acknowledged, resolved or gone.")
def list_breaks(
    config: str | None = None,
    as_json: bool = False,
    as_of: str | None = None,
    check: str | None = None,
    severity: str | None = None,
    status: str | None = None,
) -> None:
    """List the breaks of the last run, or as of an instant."""
    from recon.reconcile.console import last_result

    settings = options.settings(config)
    lake = options.lake(settings)
    instant = options.instant(as_of, settings)
    with last_result(lake, settings, as_of=instant) as result:
        rows = result.breaks.to_pylist()
    wanted = {"check": check, "severity": severity, "status": status}
    for column, value in wanted.items():
        if value:
            rows = [row for row in rows if row[column] == value]
    if as_json:
        print_json(rows)
    elif rows:
        print_table(rows, _SHOWN)
    else:
        print("no breaks")


@command.command("show")
@click.argument("break_id")
@options.config_option
@options.json_option
@options.as_of_option
def show(break_id: str, config: str | None, as_json: bool, as_of: str | None) -> None:
    """Show a break: its figures, its rule, and the stored responses behind it."""
    from recon.reconcile.console import last_result
    from recon.reconcile.evidence import evidence

    settings = options.settings(config)
    lake = options.lake(settings)
    instant = options.instant(as_of, settings)
    with last_result(lake, settings, as_of=instant) as result:
        found = evidence(result, break_id)
    if found is None:
        raise UsageError(f"{break_id}: no such break; `recon breaks list` shows them")
    if as_json:
        print_json(found)
    else:
        _print_evidence(found)


def _print_evidence(found: dict[str, Any]) -> None:
    for name, value in found.items():
        if isinstance(value, list):
            print(f"\n{name}:")
            for item in value:
                lines = (f"{key}: {each}" for key, each in item.items())
                print("  " + "\n  ".join(lines))
        elif isinstance(value, dict):
            print(f"\n{name}:")
            for key, each in value.items():
                print(f"  {key}: {each}")
        else:
            print(f"{name}: {value}")
