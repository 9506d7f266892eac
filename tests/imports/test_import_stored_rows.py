"""Of the rows that earlier files brought, only those near another row are evened."""

from pathlib import Path

import pytest

from recon.imports import duplicates
from recon.imports.importing import take
from recon.imports.likeness import Likeness
from recon.imports.lookalikes import RESPELT, TOPIC
from recon.imports.stored_rows import StoredRows
from recon.lake import Lake, open_files, writing
from recon.settings import Business, Settings

SETTINGS = Settings(business=Business(name="shop"))
HEAD = "booked_at,amount,description,iban,branch"
IBAN = "IR062960000000100324200001"
DAYS = [f"2026-10-{day:02},-5000,fee,{IBAN},{day}" for day in range(1, 11)]


@pytest.fixture
def lake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lake:
    """A lake whose files have groups of two rows, with ten days of fees."""
    monkeypatch.setattr(open_files, "_GROUP_ROWS", 2)
    monkeypatch.setattr(open_files, "_BUFFERED_ROWS", 2)
    monkeypatch.setattr(writing, "_ROWS_AT_ONCE", 2)
    made = Lake(tmp_path / "lake")
    told(made, csv(tmp_path, "a.csv", *DAYS))
    return made


@pytest.fixture
def evened(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """What is evened from now on, by what it is near."""
    found: list[int] = []
    of = Likeness.of

    def noted(self: Likeness, record: dict[str, object], near: int) -> tuple[int, int]:
        found.append(near)
        return of(self, record, near)

    monkeypatch.setattr(Likeness, "of", noted)
    return found


def csv(folder: Path, name: str, *rows: str) -> Path:
    path = folder / name
    path.write_text("\n".join([HEAD, *rows]) + "\n")
    return path


def told(lake: Lake, *paths: Path) -> tuple[str, ...]:
    return take("bank_statement", list(paths), SETTINGS, lake).files[-1].warnings


def test_rows_of_other_days_are_not_evened(
    lake: Lake, tmp_path: Path, evened: list[int]
) -> None:
    later = [row.replace("2026-10", "2026-11") for row in DAYS]
    assert told(lake, csv(tmp_path, "b.csv", *later)) == ()
    assert evened == []


def test_rows_that_are_the_same_are_not_evened(
    lake: Lake, tmp_path: Path, evened: list[int]
) -> None:
    again = csv(tmp_path, "b.csv", *DAYS, f"2026-11-01,-5000,fee,{IBAN},")
    assert told(lake, again) == ()
    assert evened == []


def test_a_near_row_is_evened_and_its_group_with_it(
    lake: Lake, tmp_path: Path, evened: list[int]
) -> None:
    again = csv(tmp_path, "b.csv", f"2026-10-07,-5000,fee,{IBAN},007")
    assert told(lake, again) == (f"{RESPELT}: 1 row, first at line 2",)
    assert len(evened) == 1 + 2


def test_near_rows_of_several_groups_are_found(lake: Lake, tmp_path: Path) -> None:
    """Two earlier rows are the same as one but for a column that is kept."""
    told(lake, csv(tmp_path, "b.csv", f"2026-10-07,-5000,fee,{IBAN},8"))
    rows = [f"2026-10-07,-5000,fee,{IBAN},{branch}" for branch in ("07", "08", "9")]
    assert told(lake, csv(tmp_path, "c.csv", *rows)) == (
        f"{RESPELT}: 2 rows, first at line 2",
        f"{TOPIC}: 1 row, first at line 4",
    )


def test_near_rows_of_a_group_are_one_place_to_look(lake: Lake, tmp_path: Path) -> None:
    """Very many equal amounts of a day would else each be held against each."""
    told(lake, csv(tmp_path, "b.csv", *[f"2026-11-01,-5,{n},{IBAN}," for n in "abcd"]))
    table = "bank_statement"
    nears, groups = StoredRows(lake, table, Likeness(table)).index
    assert len(nears) == len(DAYS) + len("abcd") // 2
    assert len({*zip(nears.tolist(), groups.tolist(), strict=True)}) == len(nears)


def test_rows_of_other_amounts_are_other_rows(lake: Lake, tmp_path: Path) -> None:
    """Python's hash of -1 is that of -2."""
    for name, amount in (("b.csv", -2), ("c.csv", -1)):
        path = csv(tmp_path, name, f"2026-11-05,{amount},fee,{IBAN},1")
        assert told(lake, path) == ()
    hashes = lake.versions("bank_statement")["record_hash"].to_pylist()
    assert len({*hashes}) == len(hashes)


def test_a_row_that_two_files_of_a_command_have_is_one_entry(
    lake: Lake, tmp_path: Path
) -> None:
    """So one of two other entries of its day and amount may be it, and not both."""
    entry = f"2026-11-05,-70,to Paywell,{IBAN},1"
    told(lake, csv(tmp_path, "b.csv", entry), csv(tmp_path, "c.csv", entry, DAYS[0]))
    others = [f"2026-11-05,-70,{text},{IBAN},1" for text in ("X1", "X2")]
    assert told(lake, csv(tmp_path, "d.csv", *others)) == ()
    one = csv(tmp_path, "e.csv", others[0].replace("X1", "X3"))
    assert told(lake, one) == (f"{duplicates.TOPIC}: 1 row, first at line 2",)
