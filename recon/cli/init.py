"""`recon init`: a folder to work in."""

from pathlib import Path

import click

from recon.cli.options import dry_run_option, own_config_option
from recon.cli.output import print_json


@click.command("init")
@own_config_option
@click.argument("folder", metavar="[DIR]", default=".", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print the added files as JSON.")
@dry_run_option
def command(folder: Path, as_json: bool, dry_run: bool) -> None:
    """Write a commented recon.toml, the folders and the notebooks into DIR.

    Nothing that exists is overwritten.
    """
    from recon import workspace

    added = workspace.planned(folder) if dry_run else workspace.write(folder)
    if as_json:
        print_json({"added": [str(path) for path in added], "dry_run": dry_run})
        return
    for path in added:
        print(f"{'would write' if dry_run else 'wrote'} {path}")
    if not added:
        print("everything is there already; nothing was changed")
    elif not dry_run:
        print(f"next: fill in {folder / 'recon.toml'}, then `recon nightly`")
