"""`recon sandbox`: the provider on this machine."""

import sys
from datetime import UTC
from pathlib import Path
from typing import TYPE_CHECKING

import click

from recon.cli import completion
from recon.cli.options import day_in, dry_run_option, own_config_option
from recon.cli.output import print_json, say

if TYPE_CHECKING:
    from recon.sandbox.world import World


@click.command("sandbox")
@own_config_option
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    default=8700,
    show_default=True,
    help="Where to listen, on loopback; 0: any.",
)
@click.option("--seed", type=int, default=1, show_default=True, help="Which history.")
@click.option("--until", metavar="DATE", help="Its last day (2026-10-31, 1405-08-09).")
@click.option(
    "--days",
    type=click.IntRange(1, 3660),
    default=61,
    show_default=True,
    help="How many days it has.",
)
@click.option(
    "--daily",
    type=click.IntRange(1, 100_000),
    default=120,
    show_default=True,
    help="Checkouts a day.",
)
@click.option(
    "--fault",
    "faults",
    multiple=True,
    shell_complete=completion.faults,
    metavar="CHECK",
    help="Plant what this check finds, or `all`; may be repeated.",
)
@click.option(
    "--trouble",
    "troubles",
    multiple=True,
    metavar="KIND[:KEY=VALUE,…]",
    help="A bad day, e.g. latency:seconds=0.2 or server_error:rate=0.1,status=502.",
)
@click.option(
    "--state",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Keep the provider's state in this SQLite file, to go on later.",
)
@click.option(
    "--files",
    type=click.Path(path_type=Path, file_okay=False),
    help="Also write the business's own files (books, balances, …) there.",
)
@click.option("--json", "as_json", is_flag=True, help="Print what was planted as JSON.")
@dry_run_option
def command(
    port: int,
    seed: int,
    until: str | None,
    days: int,
    daily: int,
    faults: tuple[str, ...],
    troubles: tuple[str, ...],
    state: Path | None,
    files: Path | None,
    as_json: bool,
    dry_run: bool,
) -> None:
    """Run every endpoint of the provider on loopback, with an invented history.

    Stops at Ctrl-C. Credentials and addresses are printed as settings to copy.
    """
    import time
    from dataclasses import asdict

    from recon.errors import UsageError
    from recon.sandbox import exports, history
    from recon.sandbox.app import Credentials, Terms
    from recon.sandbox.faults import Faults, parse_fault
    from recon.sandbox.server import serve

    last = history.LAST_DAY if until is None else day_in(UTC, until, "--until")
    bad_day = Faults(*map(parse_fault, troubles))
    unknown = sorted(set(faults) - set(history.FAULTS) - {"all"})
    if unknown:
        known = ", ".join(sorted(history.FAULTS))
        raise UsageError(f"--fault {unknown[0]}: there are all, {known}")
    made = history.generate(
        seed,
        until=last,
        days=days,
        daily=daily,
        faults=faults,
    )
    if files and not dry_run:
        exports.write(made, files)
    if as_json:
        print_json([asdict(each) for each in made.planted])
    if dry_run:
        count = len(made.world.checkouts)
        say(f"would serve {count:,} checkouts and {len(made.planted)} planted breaks")
        return
    with serve(
        made.world,
        Credentials(),
        port=port,
        faults=bad_day,
        terms=Terms(wage=made.tariff.wage),
        path=state,
    ) as running:
        say(f"the provider answers at {running.base_url}; Ctrl-C stops it")
        for name, value in _settings(made.world, running.base_url).items():
            (say if as_json else print)(f"export {name}={value}")
        sys.stdout.flush()
        while True:
            time.sleep(3600)


def _settings(world: "World", base_url: str) -> dict[str, str]:
    """Return the settings that reach this sandbox, as variables to copy.

    They are those of the demo, with what its business knows of the provider besides:
    the status of a deposit that landed, say, and the name in a bank statement.
    """
    import tomllib

    from recon import demo
    from recon.settings import variable_of

    told = tomllib.loads(demo.settings_text(world, base_url))
    return {
        variable_of(section, key): (
            ",".join(value) if isinstance(value, list) else str(value)
        )
        for section, values in told.items()
        for key, value in values.items()
    } | demo.keys()
