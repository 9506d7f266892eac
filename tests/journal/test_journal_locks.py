"""A second journal of one process never takes the first one's locks away."""

import subprocess
import sys
from pathlib import Path

from recon.journal import Journal

# A writes, opens another journal and closes it; B opens and closes the same file;
# A writes once more and dies. Both of A's requests must be there.
DYING = """
import os, subprocess, sys
from pathlib import Path
from recon.journal import Journal
path = Path(sys.argv[1])
first = Journal(path)
first.begin("deposit", "a", {})
with Journal(path):
    pass
other = "import sys; from pathlib import Path; from recon.journal import Journal\\n"
other += "with Journal(Path(sys.argv[1])): pass"
subprocess.run([sys.executable, "-c", other, str(path)], check=True)
first.begin("deposit", "b", {})
os._exit(0)
"""


def test_what_was_begun_outlives_a_second_journal_and_a_death(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite3"
    subprocess.run([sys.executable, "-c", DYING, str(path)], check=True)
    with Journal(path) as journal:
        assert [request.subject for request in journal.requests()] == ["a", "b"]


def test_an_existing_journal_is_made_private(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite3"
    with Journal(path):
        pass
    path.chmod(0o644)
    with Journal(path):
        pass
    assert path.stat().st_mode & 0o777 == 0o600
