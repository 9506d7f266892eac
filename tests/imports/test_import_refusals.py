from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from recon.errors import RefusedFile
from recon.imports.formats import rows as limits
from recon.lake import Lake
from tests.imports.import_cases import VALID, changed, taken, write_csv

HEADER = "at,amount,kind,description\n"
ROW = "2026-10-01,5,x,y\n"
MIB = 2**20


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "lake")


def refusal(lake: Lake, path: Path, content: str | bytes) -> str:
    """Return the one line with which adjustments in a file are refused."""
    data = content.encode() if isinstance(content, str) else content
    path.write_bytes(data)
    with pytest.raises(RefusedFile) as caught:
        taken(lake, "adjustments", path)
    assert not lake.root.exists() or lake.commits() == []
    message = str(caught.value)
    assert message.isprintable()
    assert len(message) < 500
    return message


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "a.csv, line 1: is empty: the first line must name the columns"),
        (" \n\n", "a.csv, line 1: is empty: the first line must name the columns"),
        (
            "at,amount\n",
            (
                "a.csv, line 1: required columns are missing: kind, description "
                "(there are 'at', 'amount'); [imports.columns.adjustments] "
                "says what a file calls them"
            ),
        ),
        (
            "at,Amount,kind,description\n",
            (
                "a.csv, line 1: required columns are missing: amount "
                "(there are 'at', 'Amount', 'kind', 'description'); "
                "[imports.columns.adjustments] says what a file calls them"
            ),
        ),
        (
            "at,amount,kind,description,amount, at\n",
            "a.csv, line 1: the header names a column twice: 'amount', 'at'",
        ),
        (
            "at,amount,,kind,description\n",
            "a.csv, line 1: column 3 of the header has no name",
        ),
        (
            "at;amount\n",
            (
                "a.csv, line 1: required columns are missing: kind, description "
                "(there are 'at', 'amount'); [imports.columns.adjustments] "
                "says what a file calls them"
            ),
        ),
        (
            HEADER + ROW + "2026-10-01,5,x\n",
            "a.csv, line 3: has 3 cells where the header names 4 columns",
        ),
        (
            HEADER + "2026-10-01,5,x,y,z\n",
            "a.csv, line 2: has 5 cells where the header names 4 columns",
        ),
        (
            HEADER + ROW + '2026-10-01,5,x,"never closed\n',
            "a.csv, line 3: is not well-formed CSV: unexpected end of data",
        ),
        (
            HEADER + '2026-10-01,5,"x"y,z\n',
            "a.csv, line 2: is not well-formed CSV: ',' expected after '\"'",
        ),
        (
            (HEADER + ROW).encode() + b"2026-10-01,5,x,\xe9\n",
            "a.csv, line 3: is not UTF-8; save it as CSV in UTF-8",
        ),
        (
            (HEADER + ROW).replace("\n", "\r").encode() + b"2026-10-01,5,x,\xe9\r",
            "a.csv, line 3: is not UTF-8; save it as CSV in UTF-8",
        ),
        (
            (HEADER + ROW).replace("\n", "\r\n").encode() + b"2026-10-01,5,x,\xe9",
            "a.csv, line 3: is not UTF-8; save it as CSV in UTF-8",
        ),
        (
            (HEADER + ROW).encode() + b"2026-10-01,5,x,\xd8",
            "a.csv, line 3: is not UTF-8; save it as CSV in UTF-8",
        ),
        (
            (HEADER + ROW).encode("utf-16"),
            "a.csv, line 1: is UTF-16; save it as UTF-8",
        ),
        (
            (HEADER + ROW).encode("utf-16-le"),
            "a.csv, line 1: is UTF-16; save it as UTF-8",
        ),
        (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
            "a.csv: is an old Excel file (.xls); save it as .xlsx or CSV",
        ),
        (
            HEADER + "01/10/2026,5,x,y\n",
            (
                "a.csv, line 2, column at: '01/10/2026' is not a time: "
                "ISO 8601 or Unix seconds"
            ),
        ),
        (
            HEADER + "2026-10-01,5 rials,x,y\n",
            (
                "a.csv, line 2, column amount: '5 rials' is not a whole number of "
                "digits (allowed: a minus, up to 18 digits, thousands separators, "
                "no fraction)"
            ),
        ),
        (
            "currency," + HEADER + "dollar," + ROW,
            (
                "a.csv, line 2, column currency: 'dollar' is not allowed: rial, toman; "
                "[imports.words.adjustments.currency] says what other words mean"
            ),
        ),
        (
            "calendar," + HEADER + "lunar," + ROW,
            (
                "a.csv, line 2, column calendar: 'lunar' is not allowed: jalali, "
                "gregorian, or empty; [imports.words.adjustments.calendar] says what "
                "other words mean"
            ),
        ),
    ],
)
def test_csv_is_refused_in_one_line(
    content: str | bytes, reason: str, lake: Lake, tmp_path: Path
) -> None:
    assert refusal(lake, tmp_path / "a.csv", content) == reason


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("{", "a.jsonl, line 1: is not JSON: "),
        ("[]", "a.jsonl, line 1: is not a JSON object; each line must be one"),
        ('\n{"a": NaN}', "a.jsonl, line 2: is not JSON: NaN is not a JSON number"),
        ('{"at": 1, "at": 2}', "a.jsonl, line 1: the header names a column twice: "),
        ('{"": 1, "at": 2}', "a.jsonl, line 1: column 1 of the header has no name"),
        ('{" at": 1}', "a.jsonl, line 1: a key is empty or has spaces around it"),
        ("[" * 100_000, "a.jsonl, line 1: is nested too deeply"),
        (b'{"at": "\xff"}', "a.jsonl, line 1: is not UTF-8"),
        (
            '{"at": "2026-10-01", "amount": 1, "kind": "\\ud800"}',
            "a.jsonl, line 1: holds half a character (a lone surrogate)",
        ),
        (
            '{"at": "2026-10-01", "amount": 1, "kind": "x", "\\udfff": ""}',
            "a.jsonl, line 1: holds half a character (a lone surrogate)",
        ),
        (
            '{"at": "2026-10-01", "amount": ' + "9" * 5_000 + ', "kind": "x"}',
            "a.jsonl, line 1, column amount: '999999",
        ),
    ],
)
def test_json_lines_are_refused_in_one_line(
    content: str | bytes, reason: str, lake: Lake, tmp_path: Path
) -> None:
    assert refusal(lake, tmp_path / "a.jsonl", content).startswith(reason)


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.xlsx", b"PK\x03\x04 nothing", "a.xlsx: cannot be read as an Excel"),
        ("a.xlsx", b"at,amount", "a.xlsx: cannot be read as an Excel workbook"),
        (
            "a.ods",
            b"PK\x03\x04mimetypeapplication/vnd.oasis.opendocument.spreadsheet",
            "a.ods: is an OpenDocument file (.ods); save it as .xlsx or CSV",
        ),
        ("a.parquet", b"PAR1PAR1", "a.parquet: cannot be read as Parquet: "),
        ("a.parquet", b"at,amount", "a.parquet: cannot be read as Parquet: "),
    ],
)
def test_what_is_not_what_its_name_says_is_refused(
    name: str, content: bytes, reason: str, lake: Lake, tmp_path: Path
) -> None:
    assert refusal(lake, tmp_path / name, content).startswith(reason)


@pytest.mark.parametrize(
    ("names", "reason"),
    [
        (["at", "at"], "a.parquet, line 1: the header names a column twice: 'at'"),
        (["at", ""], "a.parquet: a column's name is empty or has spaces around it"),
        (["at", " b"], "a.parquet: a column's name is empty or has spaces around it"),
        (["at", "b"], "a.parquet, line 1: required columns are missing: amount, kind"),
    ],
)
def test_a_parquet_header_is_held_to_the_same_rules(
    names: list[str], reason: str, lake: Lake, tmp_path: Path
) -> None:
    pq.write_table(pa.table([["1"], ["2"]], names=names), tmp_path / "a.parquet")
    content = (tmp_path / "a.parquet").read_bytes()
    assert refusal(lake, tmp_path / "a.parquet", content).startswith(reason)


@pytest.mark.parametrize("letter", ["x", "ی"])
def test_a_cell_has_at_most_1_mib(letter: str, lake: Lake, tmp_path: Path) -> None:
    most = MIB // len(letter.encode())
    rows = [changed("adjustments", description=letter * most)]
    taken(lake, "adjustments", write_csv(tmp_path / "most.csv", rows))
    rows = [changed("adjustments", description=letter * (most + 1))]
    with pytest.raises(RefusedFile, match=r"^more\.csv, line 2"):
        taken(lake, "adjustments", write_csv(tmp_path / "more.csv", rows))


def test_a_header_has_at_most_a_thousand_columns(lake: Lake, tmp_path: Path) -> None:
    names = [f"column {at}" for at in range(limits.MAX_COLUMNS + 1)]
    message = refusal(lake, tmp_path / "a.csv", ",".join(names))
    assert message == "a.csv, line 1: has more than 1,000 columns"


@pytest.mark.parametrize("short", [1, 2])
def test_a_line_that_ends_across_two_parts_of_a_file_is_counted_once(
    short: int, lake: Lake, tmp_path: Path
) -> None:
    """Its carriage return is the last byte of a part, and its line feed the next."""
    start = (HEADER + "2026-10-01,5,x,").replace("\n", "\r\n")
    long = start + "y" * (MIB - short - len(start)) + "\r\n"
    path = tmp_path / "a.csv"
    path.write_bytes(long.encode() + b"2026-10-01,5,x,\xe9\r\n")
    with pytest.raises(RefusedFile, match=r"a\.csv, line 3: is not UTF-8"):
        taken(lake, "adjustments", path)


def test_a_refusal_names_the_files_name_and_not_its_folder(
    lake: Lake, tmp_path: Path
) -> None:
    message = refusal(lake, tmp_path / "a.csv", "x\n")
    assert str(tmp_path) not in message


def test_an_import_after_a_refused_one_starts_clean(lake: Lake, tmp_path: Path) -> None:
    rows = [VALID["adjustments"], changed("adjustments", amount="x")]
    with pytest.raises(RefusedFile):
        taken(lake, "adjustments", write_csv(tmp_path / "a.csv", rows))
    report = taken(lake, "adjustments", write_csv(tmp_path / "a.csv", rows[:1]))
    assert report.files[0].taken
    assert lake.versions("adjustments").num_rows == 1


@pytest.mark.parametrize(
    "page",
    [
        "<html><body><table><tr><td>at</td></tr></table></body></html>",
        "\ufeff\r\n<!DOCTYPE HTML PUBLIC '-//W3C//DTD HTML 4.01//EN'>\n<html>",
        '<?xml version="1.0"?>\n<!-- a bank --><html xmlns="x">',
        "<!-- a --> <!-- b --><TABLE border=1>",
        "<meta charset=utf-8><table>",
        "<style>td {}</style><table>",
        'MIME-Version: 1.0\nContent-Type: multipart/related; boundary="x"\n',
    ],
)
@pytest.mark.parametrize("name", ["a.xls", "a.xlsx", "a.csv", "a.html"])
def test_a_web_page_is_named_as_one(
    lake: Lake, tmp_path: Path, page: str, name: str
) -> None:
    assert refusal(lake, tmp_path / name, page) == (
        f"{name}: is a web page (HTML), not a workbook, whatever its name says; open "
        "it in a spreadsheet program and save it as .xlsx or CSV in UTF-8"
    )


@pytest.mark.parametrize(
    "text", ["<htmlish>,amount", "html,amount", "<!-- a", "<!-- -->" * 400, ""]
)
def test_what_is_no_web_page_is_refused_as_a_table(
    lake: Lake, tmp_path: Path, text: str
) -> None:
    assert "web page" not in refusal(lake, tmp_path / "a.csv", text)
