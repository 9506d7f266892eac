"""`recon reconcile`: the checks over the lake."""

from typing import TYPE_CHECKING

import click

from recon.cli import options
from recon.cli.output import print_json

if TYPE_CHECKING:
    from recon.reconcile.engines.choosing import EngineName


@click.command("reconcile")
@options.config_option
@options.json_option
@options.as_of_option
@click.option(
    "--engine",
    type=click.Choice(["duckdb", "spark"]),
    default="duckdb",
    show_default=True,
    help="What runs the queries: DuckDB on this machine, or the Spark Connect "
    "endpoint of spark.remote. Both find the same.",
)
@options.dry_run_option
def command(
    config: str | None,
    as_json: bool,
    as_of: str | None,
    engine: "EngineName",
    dry_run: bool,
) -> int:
    """Run every check over the lake as it was known at an instant (now)."""
    from contextlib import nullcontext

    from recon.cli import verdict
    from recon.imports.delivered import take_deliveries
    from recon.lake.lock import run_lock
    from recon.pull.runner import refuse_strangers
    from recon.reconcile.run import reconcile
    from recon.reports.earlier import refuse_lost
    from recon.reports.summary import summary

    settings = options.settings(config)
    lake = options.lake(settings)
    instant = options.instant(as_of, settings)
    refuse_lost(settings, lake)
    refuse_strangers(settings, lake)
    with nullcontext() if dry_run else run_lock(lake):
        if not dry_run:
            take_deliveries(settings, lake)
        with reconcile(
            lake, settings, as_of=instant, dry_run=dry_run, engine=engine
        ) as result:
            found = summary(result)
            code = result.exit_code()
    if as_json:
        print_json(found)
    else:
        verdict.print_summary(found, settings.checks.disabled)
    return int(code)
