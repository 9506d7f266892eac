"""What writes to the lake and the reports: commits, imports, pulls, runs, closings."""

import json
import tempfile
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from unittest.mock import patch

from recon.close import closing
from recon.imports.importing import take
from recon.lake.compaction import compact
from recon.lake.pages import Page
from recon.lake.parts import CLEARING, COMPACTION
from recon.lake.schema import COMPACTED
from recon.reconcile.clearing import clearing
from recon.reconcile.decisions import decision, record
from recon.reconcile.engines.duckdb import DuckEngine
from recon.reconcile.run import reconcile
from recon.reports import writing
from recon.reports.periods import Period
from recon.reports.rendering import Part, Rendering
from tests.campaign.content import decided, found, rows_of
from tests.campaign.forks import Ack
from tests.campaign.operation import Operation, State
from tests.campaign.shop import PERIOD, Shop


def _commit(shop: Shop, ack: Ack) -> None:
    lake = shop.lake()
    if any(commit.source == "accounts" for commit in lake.commits(kind="pull")):
        return
    with lake.begin("pull", "accounts") as made:
        body = json.dumps(shop.made.world.accounts).encode() * 50
        at = datetime(2025, 11, 1, tzinfo=UTC)
        page = Page(url="http://127.0.0.1/accounts", received_at=at, body=body)
        number = made.page(page)
        rows = [
            {"iban": str(account["IBAN"]), "page_no": number, "position": place + 1}
            for place, account in enumerate(shop.made.world.accounts)
        ]
        made.rows("accounts", rows)
        made.seen("accounts", [row["iban"] for row in rows])
        ack(made.commit(counts={"records": len(rows)}).id)


def _import(kinds: tuple[str, ...]) -> Callable[[Shop, Ack], None]:
    def run(shop: Shop, ack: Ack) -> None:
        files = shop.files()
        for kind in kinds:
            report = take(kind, [files[kind]], shop.settings, shop.lake())
            if report.pull_id:
                ack(report.pull_id)

    return run


def _import_two(shop: Shop, ack: Ack) -> None:
    """Take two files of one kind: both or none."""
    file = shop.files()["books"]
    lines = file.read_text("utf-8").splitlines()
    with tempfile.TemporaryDirectory(prefix="recon-campaign-") as folder:
        parts = [Path(folder) / "1.csv", Path(folder) / "2.csv"]
        for number, part in enumerate(parts, start=1):
            part.write_text("\n".join([lines[0], *lines[number::2]]), "utf-8")
        report = take("books", parts, shop.settings, shop.lake())
        if report.pull_id:
            ack(report.pull_id)


def _decide(shop: Shop, ack: Ack) -> None:
    lake = shop.lake()
    if lake.commits(kind="decision"):
        return
    made = record(lake, [decision("0" * 16, "note", reason="seen")], by="sara")
    ack(made.id if made else "")


def _compact(shop: Shop, ack: Ack) -> None:
    lake = shop.lake()
    if lake.commits(kind=COMPACTION):
        return
    made = compact(lake, shop.settings.engine, COMPACTED)
    ack(made.id if made else "")


def _standing(shop: Shop) -> State:
    """Return every version, each table's newest, and whether these stand apart."""
    lake = shop.lake()
    names = [name for name in COMPACTED if lake.files(name)]
    newest = {
        name: Counter(map(repr, lake.current(name).to_pylist())) for name in names
    }
    apart = {name for name in names if lake.parts(name, lake.commits()).made_by}
    return {"rows": rows_of()(shop), "newest": newest, "apart": apart}


def _never_other_rows(before: State, now: State, after: State) -> bool:
    """A compaction is there or not, and changes no row."""
    rows = all(now[name] == before[name] == after[name] for name in ("rows", "newest"))
    return rows and now["apart"] in (before["apart"], after["apart"])


class _Clearing:
    """A clearing of what is worked out once; `keep` is what writes it."""

    def __init__(self) -> None:
        self._found: clearing.Outstanding | None = None

    def prepare(self, shop: Shop) -> None:
        _read(shop)
        compact(shop.lake(), shop.settings.engine, COMPACTED)
        with reconcile(shop.lake(), shop.settings, dry_run=True) as run:
            assert isinstance(run.engine, DuckEngine)
            with patch.object(clearing, "LARGEST_SHARE", 0):  # however many they are
                found = clearing.outstanding(shop.lake(), run.engine, run.findings)
        assert found is not None
        self._found = found

    def run(self, shop: Shop, ack: Ack) -> None:
        if self._found and not shop.lake().commits(kind=CLEARING):
            ack(clearing.keep(shop.lake(), self._found).id)

    def state(self, shop: Shop) -> State:
        rows = [
            shop.lake().read(shop.lake().file(file)).to_pylist()
            for commit in shop.lake().commits(kind=CLEARING)
            for file in commit.files
        ]
        return {"rows": rows_of()(shop), "cleared": repr(rows)}


def _reconcile(shop: Shop, _: Ack) -> None:
    with reconcile(shop.lake(), shop.settings):
        pass


def _pull(shop: Shop, ack: Ack) -> None:
    known = {commit.id for commit in shop.lake().commits()}
    report = shop.pull(full=True)
    for source in report.sources:
        if source.pull_id and source.pull_id not in known:
            ack(source.pull_id)


def _some_sources(before: State, now: State, after: State) -> bool:
    """Each source is a commit of its own: each table is as before or as after."""
    tables = before.keys() | after.keys() | now.keys()
    return all(
        now.get(table) in (before.get(table), after.get(table)) for table in tables
    )


def _render(shop: Shop) -> list[Part]:
    """Render reports once; `_place` is what writes them."""
    with reconcile(shop.lake(), shop.settings, dry_run=True) as result:
        return list(Rendering(result, shop.settings, Period()).parts())


class _Reports:
    """Reports that replace those of an earlier run of the same day."""

    def __init__(self) -> None:
        self._new: list[Part] = []

    def prepare(self, shop: Shop) -> None:
        names = [*sorted(writing.ALL_FILES - {"summary.json"}), "summary.json"]
        old = [(name, b"old " + name.encode()) for name in names]
        writing._place(old, self._folder(shop), "", lambda: None)
        self._new = _render(shop)

    def run(self, shop: Shop, _: Ack) -> None:
        writing._place(self._new, self._folder(shop), "", lambda: None)

    def state(self, shop: Shop) -> State:
        return {
            path.name: path.read_bytes()
            for path in self._folder(shop).glob("*")
            if not path.name.startswith(".")
        }

    def allowed(self, before: State, now: State, after: State) -> bool:
        """Each file is whole, and no summary vouches for files of another run."""
        whole = all(
            content in (before.get(name), after.get(name))
            for name, content in now.items()
        )
        missing = before.keys() & after.keys() - now.keys() - {"summary.json"}
        vouched = {
            after["summary.json"]: after,
            before["summary.json"]: before,
        }.get(now.get("summary.json"), now)
        return whole and not missing and now == vouched

    @staticmethod
    def _folder(shop: Shop) -> Path:
        return shop.settings.reports_path / "2025-11-01"


def _close(shop: Shop, _: Ack) -> None:
    if closing.closings(shop.lake()):
        return
    closing.close(shop.settings, shop.lake(), PERIOD, by="sara", carry_forward=True)


def _closed(shop: Shop) -> State:
    commits = closing.closings(shop.lake())
    if not commits:
        return None
    pack = shop.settings.reports_path / "closed" / str(commits[0].certificate["pack"])
    told = commits[0].certificate["pack_sha256"]
    return {"count": len(commits), "proven": closing.packs.file_hash(pack) == told}


def _read(shop: Shop) -> None:
    shop.take_files()
    shop.pull(full=True)


REPORTS = _Reports()
CLEARED = _Clearing()
LAKE_OPERATIONS: dict[str, Operation] = {
    "commit": Operation(_commit, rows_of("accounts")),
    "import": Operation(_import(("books",)), rows_of("books")),
    "import_two_files": Operation(_import_two, rows_of("books")),
    "compaction": Operation(
        _compact, _standing, prepare=Shop.take_files, allowed=_never_other_rows
    ),
    "clearing": Operation(CLEARED.run, CLEARED.state, prepare=CLEARED.prepare),
    "decision": Operation(_decide, decided),
    "pull": Operation(_pull, rows_of(), prepare=Shop.take_files, allowed=_some_sources),
    "run": Operation(_reconcile, found, prepare=_read),
    "reports": Operation(
        REPORTS.run, REPORTS.state, prepare=REPORTS.prepare, allowed=REPORTS.allowed
    ),
    "close": Operation(_close, _closed, prepare=_read),
}
