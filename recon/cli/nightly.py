"""`recon nightly`: the whole night, unattended."""

from contextlib import nullcontext

import click

from recon.cli import options
from recon.cli.output import print_json, say


@click.command("nightly")
@options.config_option
@options.json_option
@options.as_of_option
@click.option("--full", is_flag=True, help="Read every list whole.")
@options.dry_run_option
def command(
    config: str | None, as_json: bool, as_of: str | None, full: bool, dry_run: bool
) -> int:
    """Pull, reconcile and report; one run at a time, safe to kill and to repeat."""
    from recon import nightly
    from recon.cli import verdict
    from recon.cli.progress import shown_progress
    from recon.cli.voice import complain
    from recon.pull.forecast import forecast

    settings = options.settings(config)
    with nullcontext() if dry_run else nightly.announced(settings):
        lake = options.lake(settings)
        instant = options.instant(as_of, settings)
    if dry_run:
        nightly.refuse(settings, lake, instant)
        expected = forecast(settings, lake, full=full)
        verdict.print_forecast(expected, as_json=as_json)
        return 0
    with shown_progress() as progress:
        night = nightly.run(settings, lake, as_of=instant, full=full, progress=progress)
    for notice in night.notices:
        if notice in night.alarms:
            complain(notice, int(night.exit_code))
        else:
            say(notice)
    if as_json:
        print_json(night.summary)
    else:
        verdict.print_summary(night.summary, settings.checks.disabled)
        verdict.print_left_out(night.pull, night.summary)
        verdict.print_files(night.files)
    return int(night.exit_code)
