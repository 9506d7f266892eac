"""The file of secrets beside the settings: who may read it, and how a shell does.

The timer of systemd and the line for cron take it from there. Nothing of what stands
in it is repeated: lines are told by their numbers.
"""

import re
import stat
from collections.abc import Iterator
from pathlib import Path

from recon.doctor.findings import Finding, warning
from recon.wording import listed

NAME = "secrets.env"
_AS_IT_STANDS = re.compile(
    r"(?:export )?[A-Za-z_]\w*="
    r"(?:'[^']*'|\"[^\"$`\\]*\"|(?!~)[^\s'\"$`\\&|;<>()]*)",
    re.ASCII,
)
"""An assignment of a value that is plain or quoted."""


def findings(folder: Path, area: str) -> Iterator[Finding]:
    """Look at the secrets in a folder of settings; warnings alone, none without them.

    Without quotes a shell takes `&` and all that follows it for a command, and an
    address of `notify.urls` that has one is not set at all.
    """
    path = folder / NAME
    try:
        mode = path.stat().st_mode
        lines = path.read_bytes().decode("utf-8", "replace").splitlines()
    except OSError:  # there is none, or it is another user's
        return
    if stat.S_IMODE(mode) & 0o077:
        told = f"others on this machine may read the secrets in {path}"
        yield warning(area, told, f"chmod 600 {path}")
    odd = [
        f"line {number}"
        for number, line in enumerate(lines, start=1)
        if line.strip() and not line.lstrip().startswith("#")
        if not _AS_IT_STANDS.fullmatch(line.strip())
    ]
    if odd:
        told = f"{path}: a shell reads {listed(odd)} otherwise than written there"
        do = "write each RECON_<SECTION>__<KEY>='…', its value in single quotes"
        yield warning(area, told, do)
