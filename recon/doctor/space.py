"""What takes room in a lake beside its evidence: copies that make nights short."""

from collections.abc import Iterator

from recon.doctor.disk import readable
from recon.doctor.findings import LAKE, Finding, ok
from recon.lake import Lake
from recon.lake.parts import CLEARING, DERIVED
from recon.lake.schema import COMPACTED


def findings(lake: Lake) -> Iterator[Finding]:
    """Tell how much of a lake older compactions and clearings take, if there are any.

    Nothing is removed of them: runs as of an earlier time read them.
    """
    commits = lake.commits()
    copies = {
        file.path: file.size
        for commit in commits
        if commit.kind in DERIVED
        for file in commit.files
    }
    for table in COMPACTED:
        parts = lake.parts(table, commits)
        for file in parts.compacted + parts.superseded:
            copies.pop(file.path, None)
    for clearing in [each for each in commits if each.kind == CLEARING][-1:]:
        for file in clearing.files:
            copies.pop(file.path, None)
    if copies:
        told = (
            f"{readable(sum(copies.values()))} of it are copies of earlier compactions "
            "and clearings, which only runs as of an earlier time read; they stay"
        )
        yield ok(LAKE, told)
