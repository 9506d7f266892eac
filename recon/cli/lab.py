"""`recon lab`: JupyterLab on the notebooks."""

import os
import sys
from pathlib import Path

import click

from recon.cli import options


@click.command("lab", context_settings={"ignore_unknown_options": True})
@options.config_option
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(config: str | None, arguments: tuple[str, ...]) -> None:
    """Open JupyterLab on this folder's notebooks, on loopback only.

    Without settings in this folder it opens the notebooks as they come.
    Further ARGUMENTS go to JupyterLab (for instance --no-browser --port 8899).
    """
    from recon import assets, setting_files, workspace

    named = config or os.environ.get("RECON_CONFIG")
    file = Path(named or setting_files.DEFAULT_FILE)
    environment = dict(os.environ)
    folder = Path("notebooks")
    if named or file.is_file():
        setting_files.load(file)  # to say what is wrong here, and not in each notebook
        environment["RECON_CONFIG"] = str(file.resolve())
        folder = file.resolve().parent / "notebooks"
    if not folder.is_dir():
        folder = assets.notebooks_folder()
    quiet = f"--LabApp.app_settings_dir={workspace.STARTER / 'lab'}"
    lab = [sys.executable, "-m", "jupyterlab", *_QUIET, quiet]
    lab += [f"--ServerApp.root_dir={folder}", *arguments]
    sys.stdout.flush()
    os.execve(sys.executable, lab, environment)  # noqa: S606 - the lab takes our place


_NEVER = "jupyterlab.handlers.announcements.NeverCheckForUpdate"
_QUIET = (
    "--ServerApp.ip=127.0.0.1",
    f"--LabApp.check_for_updates_class={_NEVER}",
    "--LabApp.news_url=None",
)
"""On loopback only, and asking nobody for updates or news."""
