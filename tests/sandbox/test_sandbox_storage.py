"""A file that is no state of a sandbox, or no whole one any more."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from recon.errors import UsageError
from recon.sandbox.app import create_app
from recon.sandbox.server import serve
from tests.sandbox.small_world import small_world


@pytest.mark.parametrize(
    "damage",
    [
        "update thing set body = x'7b' where kind = 'checkouts'",
        "delete from thing where cast(key as text) = '\"wallet_balance\"'",
        "insert into thing (kind, key, body) values ('nothing', '1', '1')",
        "alter table thing rename column body to content",
    ],
)
def test_a_file_of_another_state_is_refused(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "state.sqlite"
    with serve(small_world(), path=path):
        pass
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(damage)
    with pytest.raises(UsageError, match=r"state\.sqlite cannot keep the sandbox: "):
        create_app(small_world(), path=path)
