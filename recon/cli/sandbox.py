"""`recon sandbox`: the provider on this machine."""

from datetime import datetime
from pathlib import Path

import click

from recon.cli.output import print_json, say


@click.command("sandbox")
@click.option("--port", type=click.IntRange(0, 65_535), default=8700, show_default=True)
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--until", type=click.DateTime(["%Y-%m-%d"]), help="Its last day.")
@click.option("--days", type=click.IntRange(1, 3660), default=61, show_default=True)
@click.option(
    "--daily", type=click.IntRange(1, 100_000), default=120, help="Checkouts a day."
)
@click.option("--fault", "faults", multiple=True, help="Plant a fault, or `all`.")
@click.option(
    "--files",
    type=click.Path(path_type=Path, file_okay=False),
    help="Also write the business's own files (books, balances, …) there.",
)
@click.option("--json", "as_json", is_flag=True, help="Print what was planted as JSON.")
def command(
    port: int,
    seed: int,
    until: datetime | None,
    days: int,
    daily: int,
    faults: tuple[str, ...],
    files: Path | None,
    as_json: bool,
) -> None:
    """Run every endpoint of the provider on loopback, with an invented history.

    Stops at Ctrl-C. Credentials and addresses are printed as settings to copy.
    """
    import time
    from dataclasses import asdict

    from recon.errors import UsageError
    from recon.sandbox import exports, history
    from recon.sandbox.app import Credentials
    from recon.sandbox.server import serve

    unknown = sorted(set(faults) - set(history.FAULTS) - {"all"})
    if unknown:
        known = ", ".join(sorted(history.FAULTS))
        raise UsageError(f"--fault {unknown[0]}: there are all, {known}")
    made = history.generate(
        seed,
        until=until.date() if until else history.LAST_DAY,
        days=days,
        daily=daily,
        faults=faults,
    )
    if files:
        exports.write(made, files)
    if as_json:
        print_json([asdict(each) for each in made.planted])
    with serve(made.world, Credentials(), port=port) as running:
        say(f"the provider answers at {running.base_url}; Ctrl-C stops it")
        while True:
            time.sleep(3600)
