"""Files of formats that are not taken: what each of them is, and what to do."""

import gzip
import io
import zipfile
from pathlib import Path

import openpyxl
import pytest

from recon.errors import RefusedFile
from recon.lake import Lake
from tests.imports.import_cases import VALID, stored, taken, write_csv, write_excel

ROWS = [VALID["adjustments"]]
STRICT = b"http://purl.oclc.org/ooxml/spreadsheetml/main"
PLAIN = b"http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "lake")


def refusal(lake: Lake, name: str, content: bytes) -> str:
    path = lake.root.parent / name
    path.write_bytes(content)
    with pytest.raises(RefusedFile) as refused:
        taken(lake, "adjustments", path)
    assert stored(lake, "adjustments") == []
    return str(refused.value).removeprefix(f"{name}").lstrip(",: ")


def csv_bytes(folder: Path) -> bytes:
    return write_csv(folder / "made.csv", ROWS).read_bytes()


def workbook(folder: Path) -> bytes:
    return write_excel(folder / "made.xlsx", ROWS).read_bytes()


def archive(**members: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as written:
        for name, content in members.items():
            written.writestr(name, content)
    return packed.getvalue()


def changed(packed: bytes, name: str, *pair: bytes) -> bytes:
    """Return an archive with a text of one of its members replaced."""
    with zipfile.ZipFile(io.BytesIO(packed)) as read:
        members = {each: read.read(each) for each in read.namelist()}
    assert pair[0] in members[name]
    return archive(**members | {name: members[name].replace(*pair)})


@pytest.mark.parametrize("encoding", ["utf-32", "utf-32-le", "utf-32-be"])
def test_utf_32_is_told_as_such(encoding: str, lake: Lake, tmp_path: Path) -> None:
    content = csv_bytes(tmp_path).decode().encode(encoding)
    told = refusal(lake, "a.csv", content)
    assert told == "line 1: is UTF-32; save it as UTF-8"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_is_not_told_as_utf_32(
    encoding: str, lake: Lake, tmp_path: Path
) -> None:
    content = csv_bytes(tmp_path).decode().encode(encoding)
    assert refusal(lake, "a.csv", content) == "line 1: is UTF-16; save it as UTF-8"


WORKBOOK_XML = (
    '<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet">'
    '<Worksheet ss:Name="a"><Table/></Worksheet></Workbook>'
)
PROGRAM = '<?mso-application progid="Excel.Sheet"?>'


@pytest.mark.parametrize("name", ["a.xml", "a.xls", "a.csv"])
@pytest.mark.parametrize(
    "text",
    [
        f'<?xml version="1.0"?>\n{PROGRAM}\n{WORKBOOK_XML}',
        f'\ufeff<?xml version="1.0"?>\n<!-- made by x -->\n{WORKBOOK_XML}',
        WORKBOOK_XML,
        WORKBOOK_XML.replace("<Workbook xmlns", "<ss:Workbook\n xmlns:ss"),
    ],
)
def test_an_excel_2003_xml_workbook_is_told_as_such(
    text: str, name: str, lake: Lake
) -> None:
    told = refusal(lake, name, text.encode())
    assert told == "is an Excel 2003 XML workbook; save it as .xlsx or CSV"


@pytest.mark.parametrize(
    "text",
    [
        '<?xml version="1.0"?><?mso-application progid="Word.Document"?><w/>',
        "<?xml?><Document><!-- urn:schemas-microsoft-com:office:spreadsheet -->",
        '<?xml version="1.0"?><Workbook xmlns="urn:mine"/>',
    ],
)
def test_another_xml_is_not_told_as_a_workbook(text: str, lake: Lake) -> None:
    assert refusal(lake, "a.xml", text.encode()).startswith("is camt.053; adjustments")


def ole(*names: str, at: int = 1024) -> bytes:
    """A compound file with these names in its directory, which begins there."""
    entries = b""
    for name in names:
        written = f"{name}\0".encode("utf-16-le")
        entries += written.ljust(64, b"\0") + len(written).to_bytes(2, "little")
        entries += bytes(128 - 66)
    return OLE.ljust(at, b"\0") + entries


@pytest.mark.parametrize("at", [1024, 2**20 - 33, 2**20 + 512, 3 * 2**20 - 1])
def test_a_workbook_with_a_password_is_told_as_such(at: int, lake: Lake) -> None:
    """Its directory may stand anywhere in the file."""
    content = ole("Root Entry", "EncryptionInfo", "EncryptedPackage", at=at)
    assert refusal(lake, "a.xlsx", content) == (
        "is protected by a password; remove it in Excel, and save the workbook"
    )


@pytest.mark.parametrize(
    "content",
    [
        OLE,
        ole("Root Entry", "Workbook"),
        ole("Root Entry", "EncryptedPackages"),
        # in a cell of it
        ole("Root Entry", "Workbook") + "EncryptedPackage\0".encode("utf-16-le") * 9,
    ],
)
def test_an_old_workbook_is_not_told_as_one_with_a_password(
    content: bytes, lake: Lake
) -> None:
    told = refusal(lake, "a.xls", content)
    assert told == "is an old Excel file (.xls); save it as .xlsx or CSV"


@pytest.mark.parametrize("name", ["a.xlsx", "a.zip", "a.csv"])
def test_an_archive_that_is_no_workbook_is_told_as_such(
    name: str, lake: Lake, tmp_path: Path
) -> None:
    for packed in (archive(**{"a.csv": csv_bytes(tmp_path)}), archive()):
        told = refusal(lake, name, packed)
        assert told == "is a zip archive and no workbook; unpack it first"


def test_a_strict_workbook_is_told_as_such(lake: Lake, tmp_path: Path) -> None:
    strict = changed(workbook(tmp_path), "xl/workbook.xml", PLAIN, STRICT)
    assert refusal(lake, "a.xlsx", strict) == (
        "is a Strict Open XML workbook; save it as Excel Workbook (.xlsx) or CSV"
    )


def test_a_binary_workbook_is_told_as_such(lake: Lake) -> None:
    packed = archive(**{"[Content_Types].xml": b"<Types/>", "xl/workbook.bin": b"x"})
    assert refusal(lake, "a.xlsb", packed) == (
        "is a binary Excel workbook (.xlsb); save it as .xlsx or CSV"
    )


def test_a_workbook_that_only_names_the_strict_form_is_taken(
    lake: Lake, tmp_path: Path
) -> None:
    book = openpyxl.load_workbook(io.BytesIO(workbook(tmp_path)))
    book.active.title = "not strict"
    book.save(tmp_path / "a.xlsx")
    content = (tmp_path / "a.xlsx").read_bytes()
    named = changed(content, "xl/workbook.xml", b"not strict", STRICT)
    (tmp_path / "a.xlsx").write_bytes(named)
    assert taken(lake, "adjustments", tmp_path / "a.xlsx").rows == 1


def test_a_damaged_archive_is_left_to_the_reader_of_workbooks(
    lake: Lake, tmp_path: Path
) -> None:
    packed = archive(**{"a.csv": csv_bytes(tmp_path)})
    assert refusal(lake, "a.xlsx", packed[:-30]) == (
        "cannot be read as an Excel workbook: BadZipFile"
    )


@pytest.mark.parametrize("name", ["a.xlsx", "A.XLSM"])
def test_a_text_that_is_named_as_a_workbook_is_told_as_such(
    name: str, lake: Lake, tmp_path: Path
) -> None:
    assert refusal(lake, name, csv_bytes(tmp_path)) == (
        "cannot be read as an Excel workbook: it does not begin as one, whatever its "
        "name says; where it is CSV, name it .csv"
    )


@pytest.mark.parametrize("head", [b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", b"\n%PDF-1.4\n1 0"])
@pytest.mark.parametrize("name", ["a.pdf", "a.xlsx", "a.csv"])
def test_a_pdf_is_told_as_such(name: str, head: bytes, lake: Lake) -> None:
    """Banks hand out their statements so; to save it as UTF-8 would be of no use."""
    assert refusal(lake, name, head) == (
        "is a PDF, not a table; export it as Excel (.xlsx) or CSV"
    )


@pytest.mark.parametrize("head", [b"", b"Rar!\x1a\x07\x01\0", b"7z\xbc\xaf\x27\x1c\0"])
def test_a_packed_file_is_told_as_such(head: bytes, lake: Lake, tmp_path: Path) -> None:
    content = head or gzip.compress(csv_bytes(tmp_path))
    assert refusal(lake, "a.csv.gz", content) == (
        "is a packed file (gzip, RAR or 7-Zip); unpack it first"
    )
