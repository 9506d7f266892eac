"""What is wrong within a table of the settings is told with its own name and line."""

from pathlib import Path

import pytest

from recon import setting_files
from recon.errors import SettingsError


@pytest.mark.parametrize(
    ("text", "line", "key"),
    [
        ("[imports.columns.book]\namount = 'a'\n", 3, "columns.book"),
        (
            "[imports.columns.books]\na = 'b'\namount = ['a']\n",
            5,
            "columns.books.amount",
        ),
        ("[imports.values.books]\na = 'b'\ncurrency = 1\n", 5, "values.books.currency"),
        ("[imports.words.books.status]\nok = 1\n", 4, "words.books.status.ok"),
        ("[imports.words.books]\nstatus = 'ok'\n", 4, "words.books.status"),
        ("[imports.layouts.x.columns.nope]\na = 'b'\n", 3, "layouts.x.columns.nope"),
        ("[imports.layouts.x.values.books]\nb = 1\n", 4, "layouts.x.values.books.b"),
        ("[imports.layouts.x]\nnope = 1\n", 4, "layouts.x.nope"),
        (
            "[imports.columns.books]\na = 'b'\n[imports.skip.books]\n'a b' = 'c'\n",
            5,  # the line of its table: a name with a space is not sought
            "skip.books.a b",
        ),
    ],
)
def test_a_wrong_table_of_imports_names_file_line_and_key(
    text: str, line: int, key: str, tmp_path: Path
) -> None:
    file = tmp_path / "recon.toml"
    file.write_text(f"[business]\nname = 'acme'\n{text}", encoding="utf-8")
    with pytest.raises(SettingsError) as caught:
        setting_files.load(file, {})
    assert str(caught.value).startswith(f"{file}:{line}: imports.{key}: must be ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "[checks]\ndisabled = ['book_duplicat']\n",
        "[checks.severity]\nbook_duplicat = 'info'\n",
    ],
)
def test_a_misspelt_check_is_told_with_what_may_have_been_meant(
    text: str, tmp_path: Path
) -> None:
    file = tmp_path / "recon.toml"
    file.write_text(f"[business]\nname = 'acme'\n{text}", encoding="utf-8")
    told = r"there is no check 'book_duplicat'; did you mean book_duplicate\?$"
    with pytest.raises(SettingsError, match=told):
        setting_files.load(file, {})
