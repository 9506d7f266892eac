"""What a run goes by besides the lake: the code, the queries and the settings."""

import hashlib
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import cache

import msgspec

from recon import __version__
from recon.assets import code_hash, queries_folder, shipped_sql
from recon.lake import Commit
from recon.reconcile.given import setting_tables
from recon.settings import Settings

NOT_RUN = "not_run"
"""In the certificate of a run: the checks that the settings left out."""

_ANY_TIME = datetime(1970, 1, 1, tzinfo=UTC)


def rules_of(settings: Settings, queries: Iterable[tuple[str, str]]) -> str:
    """Return a hash of the rules: of two runs with the same, only the lake differs.

    `queries` are the names and the texts of those that are run.
    """
    given = setting_tables(settings, _ANY_TIME)
    said = [
        __version__,
        code_hash(),
        sorted(queries),
        {name: table.to_pylist() for name, table in given.items()},
        sorted(settings.checks.disabled),
        sorted(settings.checks.severity.items()),
    ]
    return hashlib.sha256(msgspec.json.encode(said)).hexdigest()


def left_out(run: Commit) -> frozenset[str]:
    """Return the checks that a kept run did not ask; of earlier releases, none."""
    return frozenset(run.certificate.get(NOT_RUN, ()))


@cache
def shipped_queries() -> tuple[tuple[str, str], ...]:
    """Return the queries that travel with the package, by their files, read once."""
    folder = queries_folder()
    return tuple(
        (path.relative_to(folder).as_posix(), path.read_text(encoding="utf-8"))
        for path in shipped_sql()
    )
