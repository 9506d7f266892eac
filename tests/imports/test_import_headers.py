"""However a header is spelt: every row of its file is taken, or none is."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recon.errors import RefusedFile
from recon.imports.formats.rows import MOST_TITLES, headed
from recon.lake import Lake
from tests.imports.import_cases import VALID, WRITERS, changed, stored, taken

MARK = "\ufeff"
COLUMNS = ["reference", "amount", "status", "occurred_at"]
TITLED = [".csv", ".xlsx"]


def orders(count: int, header: Sequence[str] = COLUMNS) -> list[dict[str, str]]:
    """So many orders under such names of their four columns."""
    rows = [changed("books", reference=f"A{at}") for at in range(count)]
    return [
        {name: row[column] for name, column in zip(header, COLUMNS, strict=True)}
        for row in rows
    ]


@pytest.mark.parametrize("suffix", TITLED)
@pytest.mark.parametrize("at", range(len(COLUMNS)))
@pytest.mark.parametrize("count", [1, MOST_TITLES, MOST_TITLES + 10])
def test_a_mark_within_a_header_costs_no_row(
    count: int, at: int, suffix: str, tmp_path: Path
) -> None:
    header = [MARK * (place == at) + name for place, name in enumerate(COLUMNS)]
    path = WRITERS[suffix](tmp_path / f"a{suffix}", orders(count, header))
    lake = Lake(tmp_path / "lake")
    report = taken(lake, "books", path)
    assert report.files[0].warnings == ()
    found = {row["reference"] for row in stored(lake, "books")}
    assert found == {f"A{number}" for number in range(count)}


def test_a_second_mark_at_the_start_of_a_file_costs_no_row(tmp_path: Path) -> None:
    path = WRITERS[".csv"](tmp_path / "a.csv", orders(MOST_TITLES + 10))
    path.write_text(MARK + MARK + path.read_text("utf-8"), encoding="utf-8")
    assert taken(Lake(tmp_path / "lake"), "books", path).rows == MOST_TITLES + 10


@pytest.mark.parametrize("count", [0, 1, MOST_TITLES, MOST_TITLES + 1, 100])
def test_rows_that_were_looked_at_for_a_header_are_given_back(count: int) -> None:
    rows = [(at, [str(at)]) for at in range(1, count + 2)]
    found = headed(iter(rows), lambda _: 4)
    assert [(found.line, found.cells), *found.rows] == rows


@pytest.mark.parametrize("at", [0, 1, 7])
def test_a_header_that_comes_near_costs_no_row(at: int) -> None:
    rows = [(line, [str(line)]) for line in range(40)]
    found = headed(iter(rows), lambda names: 1 if names == [str(at)] else 4)
    assert found.line == at
    assert sorted([(found.line, found.cells), *found.rows]) == rows


@pytest.mark.parametrize("suffix", TITLED)
@pytest.mark.parametrize("missing", COLUMNS)
def test_what_a_header_below_titles_lacks_is_told_where_it_stands(
    missing: str, suffix: str, tmp_path: Path
) -> None:
    titles = [["Orders", "", "", "2026"], ["of", "the", "shop", ""]]
    names = [name for name in COLUMNS if name != missing]
    cells = ["x"] * len(names)
    lines = [dict(zip("abcd", [*line, ""], strict=False)) for line in [names, cells]]
    above = [dict(zip("abcd", title, strict=True)) for title in titles]
    path = WRITERS[suffix](tmp_path / f"a{suffix}", [*above, *lines])
    with pytest.raises(RefusedFile) as caught:
        taken(Lake(tmp_path / "lake"), "books", path)
    shown = ", ".join(map(repr, names))
    told = f"line 4: required columns are missing: {missing} (there are {shown})"
    do = "[imports.columns.books] says what a file calls them"
    assert str(caught.value) == f"a{suffix}, {told}; {do}"


def test_what_parts_such_a_header_is_found_too(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("Orders, of the shop, all\nreference;amount;status\nA1;5;paid\n")
    told = "line 2: required columns are missing: occurred_at .there are 'reference',"
    with pytest.raises(RefusedFile, match=told):
        taken(Lake(tmp_path / "lake"), "books", path)


SPELLINGS = [
    *("{}", f"{MARK}{{}}", f"{MARK}{MARK}{{}}", f"{MARK} {{}}", f" {MARK}{{}}"),
    *(f"{{}}{MARK}", " {} ", "\u200f{}", "\u200b{}", "{}\u00a0", "x{}", '"{}"', "{};"),
]
spellings = st.sampled_from(SPELLINGS)


@given(
    suffix=st.sampled_from(TITLED),
    signs=st.tuples(*[spellings] * len(COLUMNS)),
    capital=st.booleans(),
    titles=st.lists(st.sampled_from(["t", f"{MARK}t", " "]), max_size=3),
    count=st.integers(1, MOST_TITLES + 5),
)
@settings(max_examples=80)
def test_any_header_gives_every_row_or_none(
    suffix: str,
    signs: tuple[str, ...],
    capital: bool,
    titles: list[str],
    count: int,
) -> None:
    header = [sign.format(name) for sign, name in zip(signs, COLUMNS, strict=True)]
    header = [*header[:-1], header[-1].title() if capital else header[-1]]
    rows = orders(count, header)
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"a{suffix}"
        WRITERS[suffix](path, rows)
        if suffix == ".csv":
            above = "".join(f"{title}\n" for title in titles)
            path.write_text(above + path.read_text("utf-8"), encoding="utf-8")
        try:
            report = taken(Lake(Path(folder) / "lake"), "books", path, dry_run=True)
        except RefusedFile:
            return
    assert report.rows == count


@pytest.mark.parametrize("sign", [MARK, "\u200f", "\u200e", "\u202b", " \ufeff "])
@pytest.mark.parametrize(
    "column", ["amount", "status", "occurred_at", "product", "currency", "calendar"]
)
def test_a_mark_around_a_cell_is_none_of_what_it_says(
    column: str, sign: str, tmp_path: Path
) -> None:
    row = VALID["books"] | {"currency": "toman", "calendar": "gregorian"}
    path = WRITERS[".csv"](tmp_path / "a.csv", [row | {column: sign + row[column]}])
    lake = Lake(tmp_path / "lake")
    taken(lake, "books", path)
    (found,) = stored(lake, "books")
    assert (found["amount"], found["status"]) == (12_000_000, "paid")
    assert found["occurred_at"].isoformat() == "2026-10-01T06:30:00+00:00"


@pytest.mark.parametrize("header", ["calendar\u200c", "Calendar", "calendar"])
@pytest.mark.parametrize("suffix", WRITERS)
def test_a_row_that_is_refused_tells_of_a_header_that_is_almost_ours(
    header: str, suffix: str, tmp_path: Path
) -> None:
    """A half-space at a header's end is seen by nobody."""
    cells = {"occurred_at": "1405-07-09", header: "jalali"}
    path = WRITERS[suffix](tmp_path / f"a{suffix}", [changed("books", **cells)])
    lake = Lake(tmp_path / "lake")
    if header == "calendar":
        assert taken(lake, "books", path).rows == 1
        return
    with pytest.raises(RefusedFile) as refused:
        taken(lake, "books", path)
    told = f"; {header!r} is kept as it is, not read as calendar"
    assert str(refused.value).endswith(told)
