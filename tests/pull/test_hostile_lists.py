"""Hostile answers, end to end: `recon pull` over a socket, into a lake, and after.

Each case has its outcome: what the command exits with, what the certificate or the
error says, how many records are kept. Nothing that was kept is other than what the
list showed, nothing hangs, and the next pull from a calm provider makes it whole.
"""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from recon.cli.group import run
from recon.lake import Lake
from tests.pull.hostile_provider import (
    BUSINESS,
    COUNT,
    KEYS,
    SIZE,
    Body,
    Host,
    HostileList,
    Reply,
    hosted,
)

LONGEST_SECONDS = 20
WHOLE, INCOMPLETE = 0, 3
HTML = b"<html><body><h1>Please wait</h1></body></html>"
WAYS = ["checkouts by query", "checkouts by body", "agreements by query"]

Change = Callable[[Body], None]


@dataclass(frozen=True)
class Case:
    """One way to be hostile; `told` is in the certificate's proof or in the error."""

    name: str
    arrange: Callable[[HostileList], None]
    exit_code: int
    told: str
    kept: int = COUNT


# How a page is changed.


def always(change: Change, *pages: int) -> Callable[[HostileList], None]:
    """Change every answer of these pages; of all pages, if none is named."""

    def arrange(it: HostileList) -> None:
        def instead(_: HostileList, number: int, body: Body) -> Body:
            if not pages or number in pages:
                change(body)
            return body

        it.instead = instead

    return arrange


def once(change: Change, page: int) -> Callable[[HostileList], None]:
    """Change the first answer of a page."""

    def arrange(it: HostileList) -> None:
        def instead(it: HostileList, number: int, body: Body) -> Body:
            if number == page and it.asked[page] == 1:
                change(body)
            return body

        it.instead = instead

    return arrange


def reply(
    answer: Reply, *pages: int, times: int | None = None
) -> Callable[[HostileList], None]:
    """Answer so in the place of these pages (of all): always, or so many times."""

    def arrange(it: HostileList) -> None:
        def instead(it: HostileList, number: int, _: Body) -> Reply | None:
            struck = not pages or number in pages
            return answer if struck and it.asked[number] <= (times or 999) else None

        it.instead = instead

    return arrange


def rows_kept(count: int) -> Change:
    return lambda body: body.update(data=body["data"][:count])


def said(**meta: Any) -> Change:
    return lambda body: body["meta"].update(meta)


def of_a_row(name: str, value: Any) -> Change:
    return lambda body: body["data"][4].update({name: value})


def capped(it: HostileList) -> None:
    it.cap = SIZE // 2
    always(said(per_page=SIZE, last_page=COUNT // SIZE))(it)


def capped_and_told(it: HostileList) -> None:
    it.cap = 7


def first_page_for_ever(it: HostileList) -> None:
    it.instead = lambda it, number, _: it.page(1)


def first_rows_for_ever(it: HostileList) -> None:
    it.instead = lambda it, number, body: {**body, "data": it.page(1)["data"]}


def repeated_rows(it: HostileList) -> None:
    """The sixth page repeats three rows of the second in the place of its own."""

    def instead(it: HostileList, number: int, body: Body) -> Body:
        if number == 6:
            body["data"][:3] = it.page(2)["data"][:3]
        return body

    it.instead = instead


def storm(it: HostileList) -> None:
    calm = Reply({"message": "Too Many Attempts."}, 429, {"retry-after": "0"})
    reply(calm, times=2)(it)


def circle(it: HostileList) -> None:
    always(lambda body: body.update(links={"next": "?page=1"}))(it)


def elsewhere(it: HostileList) -> None:
    always(lambda body: body.update(links={"next": "http://evil.test/?page=2"}))(it)


# How a list moves while it is read.


def leaving(it: HostileList) -> None:
    """Three rows leave at the head before each answer, until 27 are gone."""

    def before(it: HostileList, number: int) -> None:
        if number > 1 and len(it.rows) > COUNT - 27:
            del it.rows[:3]

    it.before = before


def leaving_for_ever(it: HostileList) -> None:
    it.before = lambda it, number: it.rows.pop(0) and None


def last_page_shrinking(it: HostileList) -> None:
    """The last page loses a row before each of the first two looks at it."""

    def before(it: HostileList, number: int) -> None:
        if number == 10 and len(it.rows) > COUNT - 2:
            del it.rows[-1]

    it.before = before


def inserted(it: HostileList) -> None:
    """Thirty rows go in at the head, one before each answer."""

    def before(it: HostileList, number: int) -> None:
        if number > 1 and len(it.rows) < COUNT + 30:
            it.rows.insert(0, it.make(len(it.rows) + 1))

    it.before = before


def inserted_for_ever(it: HostileList) -> None:
    it.before = lambda it, number: it.rows.insert(0, it.make(len(it.rows) + 1))


def exchanged_for_ever(it: HostileList) -> None:
    """Before each answer a row leaves and another comes: the total never moves."""

    def before(it: HostileList, number: int) -> None:
        newest = int(it.rows[0][KEYS[it.source]][1:])
        it.rows.insert(0, it.make(newest + 1))
        del it.rows[50]

    it.before = before


WRONG = "not the documented answer"
ERROR_BODY = Reply({"message": "try again later", "code": "busy"})
TRUNCATED = Reply(b'{"message": "", "data": [{"id": "c1", ')

CASES = [
    Case("an empty page once", once(rows_kept(0), 5), WHOLE, "still"),
    Case("an empty page", always(rows_kept(0), 5), INCOMPLETE, "page 5 had 0", 90),
    Case("an empty first page", always(rows_kept(0), 1), INCOMPLETE, "page 1 had", 90),
    Case("a short page once", once(rows_kept(9), 5), WHOLE, "still"),
    Case("a short page", always(rows_kept(9), 5), INCOMPLETE, "page 5 had 9 rows", 99),
    Case("a short last page", always(rows_kept(4), 10), INCOMPLETE, "page 10 had", 94),
    Case("a last page that shrinks", last_page_shrinking, WHOLE, "still"),
    Case("a last_page that shrinks", always(said(last_page=3), 2, 3), WHOLE, "still"),
    Case("a last_page beyond all", always(said(last_page=10**9)), WHOLE, "still"),
    Case("a cap that is told", capped_and_told, WHOLE, "still"),
    Case("a cap that is not told", capped, WHOLE, "still"),
    Case("page 1 for ever", first_page_for_ever, INCOMPLETE, "came as page 1", 10),
    Case("rows of page 1", first_rows_for_ever, INCOMPLETE, "10 distinct ids", 10),
    Case("a total too low", always(said(total=80)), INCOMPLETE, "of 80"),
    Case("a total of nothing", always(said(total=0)), INCOMPLETE, "0 were", 10),
    Case("a total too high", always(said(total=101)), INCOMPLETE, "of 101"),
    Case("a total beyond all", always(said(total=10**15)), INCOMPLETE, "pages", 0),
    Case("a total below zero", always(said(total=-1)), INCOMPLETE, WRONG, 0),
    Case("a total that is no count", always(said(total=9.5)), INCOMPLETE, WRONG, 0),
    Case("rows met twice", repeated_rows, INCOMPLETE, "97 distinct ids of 100", 97),
    Case("an error with 200 once", reply(ERROR_BODY, 4, times=1), WHOLE, "still"),
    Case("an error with 200", reply(ERROR_BODY, 4), INCOMPLETE, "try again later", -1),
    Case("HTML with 200 once", reply(Reply(HTML), 4, times=1), WHOLE, "still"),
    Case("HTML with 200", reply(Reply(HTML), 4), INCOMPLETE, WRONG, -1),
    Case("truncated JSON once", reply(TRUNCATED, 4, times=1), WHOLE, "still"),
    Case("truncated JSON", reply(TRUNCATED, 4), INCOMPLETE, WRONG, -1),
    Case("nothing at all", reply(Reply(), 4), INCOMPLETE, WRONG, -1),
    Case("a cut body", reply(Reply(b'{"data', cut=True), 4), INCOMPLETE, "cut", -1),
    Case(
        "a body that never ends",
        reply(Reply(b'{"data', endless=True), 4),
        INCOMPLETE,
        "no whole answer within",
        -1,
    ),
    Case("no rows", always(lambda body: body.pop("data")), INCOMPLETE, "data", 0),
    Case("no meta", always(lambda body: body.pop("meta"), 4), INCOMPLETE, "meta", -1),
    Case(
        "an amount of 12.5", always(of_a_row("amount", 12.5), 4), INCOMPLETE, WRONG, -1
    ),
    Case(
        "an amount of true", always(of_a_row("amount", True), 4), INCOMPLETE, WRONG, -1
    ),
    Case(
        "an amount of 2**63",
        always(of_a_row("amount", 2**63), 4),
        INCOMPLETE,
        WRONG,
        -1,
    ),
    Case(
        "rows that are no objects",
        always(lambda body: body.update(data=[1])),
        INCOMPLETE,
        WRONG,
        0,
    ),
    Case("429 for a while", storm, WHOLE, "still"),
    Case("429 for ever", reply(Reply(b"", 429)), INCOMPLETE, "429", 0),
    Case("429 for ever, mid-list", reply(Reply(b"", 429), 4), INCOMPLETE, "429", -1),
    Case(
        "429 for a year",
        reply(Reply(b"", 429, {"retry-after": "31536000"}), 4),
        INCOMPLETE,
        "429",
        -1,
    ),
    Case("5xx for a while", reply(Reply(b"", 503), 4, times=2), WHOLE, "still"),
    Case("5xx for ever", reply(Reply(b"", 503), 4), INCOMPLETE, "503", -1),
    Case("a link in a circle", circle, WHOLE, "still"),
    Case("a link to elsewhere", elsewhere, WHOLE, "still"),
    Case(
        "a redirect to elsewhere",
        reply(Reply(b"", 302, {"location": "http://evil.test/"}), 4),
        INCOMPLETE,
        "a redirect (302), not followed",
        -1,
    ),
    Case("rows that leave", leaving, WHOLE, "still"),
    Case("rows that leave for ever", leaving_for_ever, INCOMPLETE, "moved", -1),
    Case("rows that go in", inserted, WHOLE, ""),
    Case("rows that go in for ever", inserted_for_ever, WHOLE, "from_start"),
    Case("rows that change places", exchanged_for_ever, INCOMPLETE, "proven whole", -1),
]
"""Where `kept` is -1, what is kept depends on which answer came first."""


class Shop:
    """A business whose provider is hostile."""

    def __init__(self, way: str, host: Host, folder: Path) -> None:
        self.source, _, self.parameters = way.split()
        self.list = host.app = HostileList(self.source)
        self.config = folder / "recon.toml"
        text = f"""
        [business]
        name = "{BUSINESS}"
        [unified]
        base_url = "{host.address}"
        per_page = {SIZE}
        list_parameters = "{self.parameters}"
        [escrow]
        base_url = "{host.address}"
        client_id = 1
        [http]
        concurrency = 4
        retries = 2
        timeout = "1s"
        """
        self.config.write_text(text, encoding="utf-8")
        self.lake = Lake(folder / "data" / "lake")
        self.shown: dict[str, Any] = {}  # every row that the list ever held

    def pull(self, capsys: pytest.CaptureFixture[str], *more: str) -> tuple[int, Any]:
        """Run `recon pull`; returns its exit code and what it says of the source."""
        began = time.monotonic()
        code = run(["pull", self.source, "--json", "--config", str(self.config), *more])
        assert time.monotonic() - began < LONGEST_SECONDS
        captured = capsys.readouterr()
        assert captured.out, captured.err
        told = json.loads(captured.out)
        assert told["complete"] == (code == WHOLE)
        return code, told["sources"][self.source]

    def held(self) -> dict[str, int]:
        """Return the amount of each record that the lake holds, by its id."""
        names = [KEYS[self.source], "amount"]
        rows = self.lake.current(self.source, names).to_pylist()
        return {row[names[0]]: row["amount"] for row in rows}


@pytest.fixture(scope="module")
def host() -> Iterator[Host]:
    with hosted() as found:
        yield found


@pytest.fixture(params=WAYS)
def shop(
    request: pytest.FixtureRequest,
    host: Host,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Shop:
    for name in ("UNIFIED__API_KEY", "ESCROW__CLIENT_SECRET"):
        monkeypatch.setenv(f"RECON_{name}", "canary-of-the-hostile-lists")
    return Shop(request.param, host, tmp_path)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_hostile_list_ends_as_it_should(
    case: Case, shop: Shop, capsys: pytest.CaptureFixture[str]
) -> None:
    case.arrange(shop.list)
    before = shop.list.ids
    code, told = shop.pull(capsys)
    assert code == case.exit_code
    assert case.told in (told["certificate"].get("proof") or told["error"] or "")
    (commit,) = shop.lake.commits(kind="pull", source=shop.source)
    held = shop.held()
    assert told["records"] == len(held)
    if code == WHOLE:
        assert (told["status"], commit.complete, commit.error) == (
            "complete",
            True,
            None,
        )
        assert held.keys() >= before & shop.list.ids
        assert shop.lake.last_whole_sweep(shop.source) is not None
    else:
        assert (told["status"], commit.complete) == ("incomplete", False)
        assert commit.error == told["error"]
        assert case.kept in {-1, len(held)}
        assert shop.lake.last_whole_sweep(shop.source) is None
    honest(shop, held)
    shop.list.calm()
    assert shop.pull(capsys)[0] == WHOLE
    held = shop.held()
    assert held.keys() >= shop.list.ids
    honest(shop, held)


def honest(shop: Shop, held: dict[str, int]) -> None:
    """Check that what is held is what the list shows, at the address of the list."""
    assert held == {name: 1000 + int(name[1:]) for name in held}
    versions = shop.lake.versions(shop.source)[KEYS[shop.source]].to_pylist()
    assert sorted(versions) == sorted(held)  # one version each: nothing is doubled
    assert {host.partition(":")[0] for host in shop.list.hosts} <= {"127.0.0.1"}
    assert shop.list.placed <= {shop.parameters}
