"""Files of the business: imports of every kind and format, decisions, audit packs."""

import io
import shutil
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq

from recon.close import packs
from recon.close.contents import FORMAT
from recon.close.verifying import verify
from recon.errors import RefusedFile, UsageError
from recon.imports.kinds import KINDS
from recon.lake import Lake
from recon.reconcile.decision_files import read_edits
from recon.reconcile.decisions import Standing
from tests.fuzz.mutation import STRANGE, damaged, words
from tests.fuzz.tries import REFUSED, TAKEN, Opening, Try, Wrong, one_line
from tests.imports.import_cases import VALID, WRITERS, taken

SAMPLES = Path(__file__).parents[2] / "data" / "samples"
EVENT = b'{"created": 1760000000, "type": "x", "data": {"tracking_code": "t"}}\n'
_MOST_COMMITS = 25
_BIG = 10**18
_TYPES = (
    pa.string(),
    pa.int64(),
    pa.float64(),
    pa.bool_(),
    pa.decimal128(38, 2),
    pa.timestamp("s"),
    pa.timestamp("ns", "UTC"),
    pa.date32(),
)


def _import_seeds(folder: Path, suffix: str) -> dict[str, bytes]:
    """Return a sound file of each kind in a format."""
    if suffix in WRITERS:
        return {
            kind: WRITERS[suffix](folder / f"{kind}{suffix}", [row] * 3).read_bytes()
            for kind, row in VALID.items()
        }
    return {"bank_statement": (SAMPLES / f"bank_statement{suffix}").read_bytes()}


def importing(suffix: str) -> Opening:
    """Return the target of one format."""

    @contextmanager
    def opened(folder: Path) -> Iterator[Try]:
        seeds = _import_seeds(folder, suffix)
        if suffix == ".jsonl":
            seeds["events"] = EVENT * 2
        path = folder / f"tried{suffix}"
        place = folder / "lake"

        def attempt(chance: Random) -> str:
            kind = chance.choice(list(seeds))
            if chance.random() < 0.05:
                kind = chance.choice(list(KINDS))
            content = seeds.get(kind, next(iter(seeds.values())))
            if suffix in {".csv", ".jsonl"} and chance.random() < 0.4:
                content = _with_a_strange_cell(content, chance)
            elif suffix == ".xlsx" and chance.random() < 0.8:
                content = _repacked(content, chance)
            elif suffix == ".parquet" and chance.random() < 0.7:
                content = _strange_table(kind, chance)
            else:
                content = damaged(content, chance)
            path.write_bytes(content)
            return _taken(kind, path, place, dry_run=chance.random() < 0.8)

        yield attempt

    return opened


def _with_a_strange_cell(content: bytes, chance: Random) -> bytes:
    """Return a text file with one of its cells replaced, and the rest sound."""
    text = content.decode()
    pieces = text.split(",")
    at = chance.randrange(len(pieces))
    pieces[at] = words(chance, 2)
    return ",".join(pieces).encode(errors="surrogatepass")


def _repacked(content: bytes, chance: Random) -> bytes:
    """Return a workbook with one of its parts damaged, in a sound zip."""
    made = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(content)) as before,
        zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as after,
    ):
        names = before.namelist()
        likely = [name for name in names if "sheet1" in name or "shared" in name]
        chosen = chance.choice(likely if chance.random() < 0.7 else names)
        for name in names:
            part = before.read(name)
            if name != chosen:
                after.writestr(name, part)
            elif chance.random() < 0.5:
                after.writestr(name, damaged(part, chance))
            else:
                after.writestr(name, _with_a_strange_value(part, chance))
    return made.getvalue()


def _with_a_strange_value(part: bytes, chance: Random) -> bytes:
    """Return XML with the text of one element replaced."""
    pieces = part.split(b"<")
    at = chance.randrange(len(pieces))
    tag, closed, _ = pieces[at].partition(b">")
    value = words(chance, 2).encode(errors="replace").replace(b"<", b"")
    pieces[at] = tag + closed + value
    return b"<".join(pieces)


def _strange_table(kind: str, chance: Random) -> bytes:
    """Return a sound Parquet file of a kind's columns, of types it may not like."""
    columns = {}
    for name, usual in VALID.get(kind, VALID["books"]).items():
        if chance.random() < 0.7:
            columns[name] = pa.array([usual] * 3)
            continue
        kind_of = chance.choice(_TYPES)
        values = [chance.choice(STRANGE) for _ in range(2)]
        try:
            columns[name] = pa.array([*values, None], kind_of)
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            low = chance.choice((0, 1, -1, 2**31 - 1))
            wide = pa.int32() if kind_of == pa.date32() else pa.int64()
            whole = pa.array([low, low, None], wide)
            columns[name] = whole.cast(kind_of, safe=False)
    made = io.BytesIO()
    pq.write_table(pa.table(columns), made)
    return made.getvalue()


def _taken(kind: str, path: Path, place: Path, *, dry_run: bool) -> str:
    lake = Lake(place)
    before = len(lake.commits())
    if before > _MOST_COMMITS:
        shutil.rmtree(place)
        before = 0
    try:
        report = taken(lake, kind, path, dry_run=dry_run)
    except RefusedFile as refused:
        one_line(str(refused))
        if not str(refused).isprintable():
            raise Wrong(f"not printable: {refused!r}") from None
        if len(lake.commits()) != before:
            raise Wrong("a refused file left a commit") from None
        return REFUSED
    added = len(lake.commits()) - before
    if dry_run and added:
        raise Wrong("a dry run left a commit")
    if report.pull_id:
        _hold_rows(lake, report.pull_id, kind, report.rows)
    return TAKEN


def _hold_rows(lake: Lake, pull_id: str, kind: str, count: int) -> None:
    """Hold that a taken file's rows are there, their amounts within bounds."""
    table = lake.versions(KINDS[kind].table)
    rows = [row for row in table.to_pylist() if row["pull_id"] == pull_id]
    if len(rows) != count:
        raise Wrong(f"{count} rows were taken and {len(rows)} are there")
    for row in rows:
        for name, value in row.items():
            is_number = isinstance(value, int) and not isinstance(value, bool)
            if is_number and abs(value) >= _BIG:
                raise Wrong(f"{name} = {value}")


@contextmanager
def decisions(folder: Path) -> Iterator[Try]:
    """An edited breaks.csv."""
    ids = ["a" * 16, "b" * 16, "c" * 16]
    breaks = pa.table({"break_id": ids, "status": ["open", "acknowledged", "resolved"]})
    sound = (
        "break_id,status,reason,assignee,note\n"
        f"{ids[0]},resolved,paid by hand,omid,\n{ids[1]},acknowledged,,,look\n"
        f"{ids[2]},open,,,\n"
    ).encode()
    path = folder / "edited.csv"

    def attempt(chance: Random) -> str:
        content = damaged(sound, chance)
        if chance.random() < 0.5:
            content = _with_a_strange_cell(sound, chance)
        path.write_bytes(content)
        try:
            edits = read_edits(
                path, breaks, {ids[0]: Standing()}, {each: {} for each in ids}
            )
        except RefusedFile as refused:
            one_line(str(refused))
            return REFUSED
        if any(change.break_id not in ids for change in edits.changes):
            raise Wrong(f"a decision about nothing: {edits.changes}")
        return TAKEN

    yield attempt


@contextmanager
def audit_packs(folder: Path) -> Iterator[Try]:
    """A pack whose bytes were changed; none may hold with another content."""
    files = {"balances.csv": b"a,b\n1,2\n", "reports/breaks.csv": b"x\n" * 200}
    said = {
        "format": FORMAT,
        "period": "2026-10",
        "first": date(2026, 10, 1).isoformat(),
        "last": date(2026, 10, 31).isoformat(),
        "as_of": datetime(2026, 11, 1, tzinfo=UTC),
        "run_id": "r1",
        "recon": "0",
    }
    path = folder / "pack.zip"
    whole = files | {packs.MANIFEST: packs.manifest_of(files, said)}
    packs.write(path, whole)
    sound = path.read_bytes()

    def attempt(chance: Random) -> str:
        path.write_bytes(damaged(sound, chance))
        try:
            proof = verify(path, None, None)
        except UsageError as error:
            one_line(str(error))
            return REFUSED
        for line in proof.differences:
            one_line(line)
        if proof.holds:
            with packs.Pack(path, FORMAT) as pack:
                if any(pack.read(name) != content for name, content in whole.items()):
                    raise Wrong("a changed pack holds")
        return TAKEN

    yield attempt
