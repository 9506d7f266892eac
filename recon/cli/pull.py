"""`recon pull`: from the provider into the lake."""

import click

from recon.cli import completion, options
from recon.cli.output import print_json
from recon.errors import ExitCode


@click.command("pull")
@click.argument(
    "sources", metavar="[SOURCE]...", nargs=-1, shell_complete=completion.sources
)
@click.option("--full", is_flag=True, help="Read every list whole.")
@click.option(
    "--moved",
    is_flag=True,
    help="The provider or the business is the same by another address or name.",
)
@options.config_option
@options.json_option
@options.dry_run_option
def command(
    sources: tuple[str, ...],
    full: bool,
    moved: bool,
    config: str | None,
    as_json: bool,
    dry_run: bool,
) -> int:
    """Fetch sources into the lake; all that the settings name, if none is given.

    Sources: agreements, customers, webhooks, checkouts, mandates, payment_methods,
    accounts, balances, deposits, gateway_transactions, hosted_checkouts.
    """
    from recon import log
    from recon.cli import verdict
    from recon.cli.progress import shown_progress
    from recon.imports.delivered import take_deliveries
    from recon.lake.lock import run_lock
    from recon.pull.forecast import forecast
    from recon.pull.runner import pull, refuse_strangers
    from recon.reports.earlier import refuse_lost

    settings = options.settings(config)
    lake = options.lake(settings)
    refuse_lost(settings, lake)
    # before an event is taken, which would be another business's
    refuse_strangers(settings, lake, sources, moved=moved)
    if dry_run:
        expected = forecast(settings, lake, sources, full=full)
        verdict.print_forecast(expected, as_json=as_json)
        return ExitCode.CLEAN
    with log.run(), run_lock(lake), shown_progress() as progress:
        take_deliveries(settings, lake)
        report = pull(
            settings, lake, sources, full=full, moved=moved, progress=progress
        )
        take_deliveries(settings, lake)  # of what began while lists were read
    if as_json:
        print_json(report.as_dict())
    else:
        verdict.print_pull(report)
    return report.exit_code
