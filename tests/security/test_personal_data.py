"""With `mask` nobody is named: not in reports, packs, logs or what is printed.

A small business with every fault lives a night and closes some days; then everything
that leaves the lake is read, unpacked, and searched for its people.
"""

import base64
import csv
import io
import json
import re
from collections.abc import Iterable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from recon import demo, log
from recon.cli.group import run
from recon.lake import Lake
from recon.sandbox import history
from recon.sandbox.app import Credentials
from recon.sandbox.server import serve
from recon.setting_files import load
from tests.endpoints.stored_text import texts

INFO = 20


@dataclass
class Lived:
    """A night: its folder, what it said by command, and whom it must not name."""

    folder: Path
    said: list[tuple[str, bytes]]
    people: dict[str, set[str]]


def people_of(value: Any) -> Iterator[tuple[str, str]]:
    """Yield what names a person in the provider's records, with what it is."""
    if isinstance(value, list):
        for each in value:
            yield from people_of(each)
    if not isinstance(value, dict):
        return
    for name in ("mobile", "national_code"):
        if value.get(name):
            yield name, str(value[name])
    if value.get("first_name") and value.get("last_name"):
        yield "name", f"{value['first_name']} {value['last_name']}"
    for each in value.values():
        yield from people_of(each)


def known_people(world: Any) -> dict[str, set[str]]:
    records = [
        *world.checkouts.values(),
        *world.agreements.values(),
        *world.escrow_customers.values(),
    ]
    found: dict[str, set[str]] = {}
    for kind, text in people_of(records):
        found.setdefault(kind, set()).add(text)
    return found


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Lived:
    folder = tmp_path_factory.mktemp("night") / "business"
    folder.mkdir()
    made = history.generate(12, days=6, daily=12, faults=("all",))
    said = []
    patch = pytest.MonkeyPatch()
    with serve(made.world, Credentials()) as running, patch.context() as environment:
        demo._prepare(folder, made, running.base_url)
        for name, key in demo.keys().items():
            environment.setenv(name, key)
        environment.setenv("RECON_CONFIG", str(folder / "recon.toml"))
        settings = load(folder / "recon.toml")
        demo._import(made, folder / "imports", settings, Lake(settings.lake_path))
        calls = (["nightly", "--log-json"], ["doctor", "-v"], ["breaks", "list"])
        said += [(words[0], called(words)) for words in calls]
        said.append(("close", called(["close", first_days(folder), *CARRY])))
    return Lived(folder, said, known_people(made.world))


def named(
    people: Iterable[str], content: Iterable[tuple[str, bytes]]
) -> list[tuple[str, str]]:
    """Return where somebody is named, in what is embedded, too.

    Short numbers are looked for as they are: within Base64 their few certain signs
    are met by chance.
    """
    found = []
    for name, text in content:
        embedded = [base64.b64decode(each) for each in _EMBEDDED.findall(text)]
        whole = b"\n".join([text, *embedded])
        found += [(name, each) for each in people if each.encode() in whole]
    return found


_EMBEDDED = re.compile(rb"base64,([A-Za-z0-9+/]+={0,2})")
CARRY = ["--carry-forward", "--by", "sara", "--log-json"]


def first_days(folder: Path) -> str:
    (flows,) = (folder / "data/reports").glob("*/flows.csv")
    rows = csv.DictReader(io.StringIO(flows.read_text("utf-8-sig")))
    days = sorted({row["business_date"] for row in rows})
    return f"{days[0]}..{days[2]}"


def called(words: list[str]) -> bytes:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        run(words)
    return (out.getvalue() + err.getvalue()).encode()


def test_the_night_has_people_and_a_pack(lived: Lived) -> None:
    assert {"mobile", "national_code", "name"} <= lived.people.keys()
    said = dict(lived.said)
    assert b'"event": "night"' in said["nightly"], said["nightly"][-800:]
    assert list((lived.folder / "data/reports").rglob("*.zip")), said["close"]


@pytest.mark.parametrize("kind", ["mobile", "national_code", "name"])
def test_no_report_and_no_pack_names_anybody(lived: Lived, kind: str) -> None:
    written = texts(lived.folder / "data/reports")
    assert named(lived.people[kind], written) == []


@pytest.mark.parametrize("kind", ["mobile", "national_code", "name"])
def test_nothing_that_was_printed_or_logged_names_anybody(
    lived: Lived, kind: str
) -> None:
    assert named(lived.people[kind], lived.said) == []


def test_every_line_of_the_log_is_json_with_the_run(lived: Lived) -> None:
    said = dict(lived.said)["nightly"].decode()
    lines = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
    events = [line for line in lines if line["event"] != "message"]
    assert len({line["run"] for line in events}) == 1
    assert {"night", "pull.source", "reconcile", "deliveries.taken"} <= {
        line["event"] for line in events
    }
    for line in events:
        assert {"at", "level", "event", "run"} <= line.keys()
    pulled = [line for line in events if line["event"] == "pull.source"]
    assert all(line["source"] and line["status"] for line in pulled)


@pytest.mark.parametrize(
    "text",
    [
        "09121234567",
        "0012345679",
        "6037991234567890",
        "IR062960000000100324200001",
        "سارا احمدی",
        "Sara Ahmadi",
        "a@b.example",
        "x" * 61,
        "line\nline",
        "https://u:p@host/",
    ],
)
def test_a_text_that_may_be_anyone_s_is_no_figure(text: str) -> None:
    stream = io.StringIO()
    with log.shown(stream, as_json=True, level=INFO):
        log.note("event", who=text, source="checkouts", count=1)
    line = json.loads(stream.getvalue())
    assert (line["who"], line["source"], line["count"]) == ("(text)", "checkouts", 1)


def test_kept_personal_data_would_be_seen(lived: Lived) -> None:
    """The search is able to find people: the lake, which is theirs, has them."""
    stored = texts(lived.folder / "data/lake")
    some = sorted(lived.people["mobile"])[:3]
    assert named(some, stored)
