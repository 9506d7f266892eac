"""`recon report`: the reports of a period."""

import click

from recon.cli import options
from recon.cli.output import print_json, say


@click.command("report")
@options.config_option
@options.json_option
@options.as_of_option
@click.option("--from", "from_", metavar="DATE", help="First business date.")
@click.option("--to", metavar="DATE", help="Last business date.")
@options.dry_run_option
def command(
    config: str | None,
    as_json: bool,
    as_of: str | None,
    from_: str | None,
    to: str | None,
    dry_run: bool,
) -> int:
    """Write the reports of a period, or of all that the lake holds.

    A page, a workbook, CSV, JSON and ledgers. Dates are ISO or Jalali (1405-08-01). The
    files go to the folder of today's date (or that of --as-of), and replace those that
    are there.
    """
    from recon import times
    from recon.cli import verdict
    from recon.errors import UsageError
    from recon.reconcile.restatements import given_up, restatements
    from recon.reconcile.run import reconcile
    from recon.reports.earlier import keep, refuse_lost
    from recon.reports.restatements import by_period, place_or_remove, sentences
    from recon.reports.writing import planned, write

    settings = options.settings(config)
    lake = options.lake(settings)
    instant = options.instant(as_of, settings)
    first = options.day(from_, settings, "--from")
    last = options.day(to, settings, "--to")
    if first and last and first > last:
        raise UsageError(f"--from {first} is after --to {last}")
    today = times.business_date(lake.now(), settings.business.timezone)
    if first and first > today:
        raise UsageError(f"--from {first} is in the future: nothing is known of it")
    refuse_lost(settings, lake)
    with reconcile(lake, settings, as_of=instant, dry_run=True) as result:
        if dry_run:
            files = planned(result, settings)
        else:
            is_part, narrows = bool(first or last), False

            def keep_replaced() -> None:
                nonlocal narrows
                narrows = keep(settings, lake, result.as_of, of_period=is_part)

            found = restatements(result)
            files = write(
                result,
                settings,
                from_=first,
                to=last,
                restated=by_period(found),
                before=keep_replaced,
            )
            folder = files["summary.json"].parent
            restated = place_or_remove(found, folder)
            files |= {restated.name: restated} if restated else {}
            for line in sentences(found, given_up(result)):
                say(line)
            if narrows:
                at = times.format_instant(result.as_of)
                told = "has the period alone" if is_part else f"is as of {at}"
                say(f"{folder} {told} now; `recon report` writes all that is known")
        code = result.exit_code()
    if as_json:
        print_json({name: str(path) for name, path in files.items()})
    else:
        verdict.print_files(files, would=dry_run)
    return int(code)
