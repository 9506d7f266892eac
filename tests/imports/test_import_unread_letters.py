"""Letters for the ways of amounts, D and C, in a column that nobody named."""

from pathlib import Path

import pytest

from recon.errors import RefusedFile
from recon.imports.importing import take
from recon.lake import Lake
from recon.settings import Business, Settings
from tests.imports.import_cases import WRITERS, changed, write_csv
from tests.imports.test_import_directions import amounts, bank


@pytest.mark.parametrize("suffix", WRITERS)
@pytest.mark.parametrize(
    ("out", "into"),
    [
        *(("D", "C"), ("Db", "cr"), ("بد", "بس."), ("-", "+"), ("\u2212", " + ")),
        *(("خروجي", "ورودی"), ("Out", "IN")),
        *(("W", "D"), ("پرداخت", "دريافت")),
    ],
)
def test_a_file_whose_letters_are_not_read_takes_no_debit_for_a_credit(
    tmp_path: Path, out: str, into: str, suffix: str
) -> None:
    words = [into, "", out, into]
    rows = [changed("bank_statement", amount="1000", نوع=word) for word in words]
    path = WRITERS[suffix](tmp_path / f"a{suffix}", rows)
    line = 4 if suffix in (".csv", ".xlsx") else 3
    told = (
        rf"a{suffix}, line {line}, column نوع: says .* and in other rows .*, is not "
        r"read, and no amount of the file is below zero: name it, direction = 'نوع' in "
        r"\[imports\.columns\.bank_statement\]; \[imports\.words\.bank_statement\."
    )
    settings, lake = Settings(business=Business(name="shop")), Lake(tmp_path / "lake")
    with pytest.raises(RefusedFile, match=told):
        take("bank_statement", [path], settings, lake)
    assert lake.commits() == []
    columns = {"direction": "نوع"}
    meant = bank(columns, {out.strip(): "debit", into.strip(): "credit"})
    read_so = [
        row | {"نوع": row["نوع"] or into, "calendar": "gregorian"} for row in rows
    ]
    path = WRITERS[suffix](tmp_path / f"b{suffix}", read_so)
    take("bank_statement", [path], meant, lake)
    assert amounts(lake) == [1000, 1000, -1000, 1000]


@pytest.mark.parametrize(
    ("sums", "words"),
    [
        (["1", "2", "3"], ["D", "D", "D"]),
        (["1", "2", "3"], ["D", "C", "E"]),
        (["1", "2", "3"], ["D", "بس", "D"]),
        (["1", "2", "3"], ["W", "C", "W"]),
        (["1", "2", "3"], ["C", "D", "W"]),
        (["1", "2", "3"], ["پرداخت", "پرداخت", "پرداخت"]),
        (["1", "-2", "3"], ["C", "D", "C"]),
        (["1", "2", "-3"], ["C", "D", "C"]),
    ],
)
def test_letters_of_a_file_that_may_mean_another_thing_are_kept(
    tmp_path: Path, sums: list[str], words: list[str]
) -> None:
    pairs = zip(sums, words, strict=True)
    rows = [changed("bank_statement", amount=each, نوع=word) for each, word in pairs]
    settings, lake = Settings(business=Business(name="shop")), Lake(tmp_path / "lake")
    take("bank_statement", [write_csv(tmp_path / "a.csv", rows)], settings, lake)
    assert amounts(lake) == list(map(int, sums))
