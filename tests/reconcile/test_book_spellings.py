"""A number that the books and the provider spell otherwise is one order, and no break.

The signs around it may differ, or the script of its digits: of files that came before
the provider was pulled, or after it, once or again.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from recon.imports.voiding import void
from recon.lake import Lake
from recon.reconcile.checks import shipped_checks
from recon.reconcile.run import reconcile
from recon.settings import Business, Settings
from tests.builders import AMOUNT, checkout
from tests.imports.import_cases import changed, taken, write_csv
from tests.reconcile.lake_history import only

BOOK_CHECKS = [
    each.name for each in shipped_checks() if each.name.startswith(("book_", "provid"))
]
SETTINGS = Settings(business=Business(name="shop"), checks=only(*BOOK_CHECKS))
SOLD_AT = datetime(2025, 5, 1, 9, tzinfo=UTC)
PERSIAN = str.maketrans("0123456789", "۰۱۲۳۴۵۶۷۸۹")
ARABIC = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")
IN_PERSIAN, IN_ARABIC = "1001".translate(PERSIAN), "1001".translate(ARABIC)
SPELLINGS = [
    *(IN_PERSIAN, IN_ARABIC, f"\u200f{IN_PERSIAN}", "\u200f1001", "1001\u200c"),
    *("\t1001", "1001\t", "1001\n", "'1001", f"'{IN_PERSIAN}", "1001\xa0", "\xa01001"),
    *("\u202b1001\u202c", "\ufeff1001 ", " 1001", "1001\u2003", "1001\u2028"),
]


class Shop:
    """A lake that a test pulls into, imports into, and looks at by night."""

    def __init__(self, folder: Path) -> None:
        self.lake = Lake(folder / "lake")
        self._folder = folder
        self._files = 0

    def pull(self, *numbers: str, column: str = "request_id") -> None:
        """Bring a paid checkout of each number."""
        with self.lake.begin("pull", "checkouts") as writing:
            rows = [_stored(number, column, at) for at, number in enumerate(numbers, 1)]
            writing.rows("checkouts", rows, seen_at=SOLD_AT)
            writing.commit()

    def export(self, *references: str) -> Sequence[str]:
        """Import a file of paid orders; return what was told of it."""
        self._files += 1
        rows = [
            changed(
                "books",
                reference=each,
                amount=str(AMOUNT),
                occurred_at=SOLD_AT.isoformat(),
                description=f"of file {self._files}",
            )
            for each in references
        ]
        path = write_csv(self._folder / f"{self._files}.csv", rows)
        (file,) = taken(self.lake, "books", path).files
        return file.warnings

    def take_back(self, number: int) -> None:
        """Void the file that was exported as the n-th."""
        void("books", [self._folder / f"{number}.csv"], self.lake)

    def references(self) -> list[str]:
        rows = self.lake.current("books", ["reference"]).to_pylist()
        return sorted(row["reference"] for row in rows)

    def breaks(self) -> Counter[str]:
        """Return how many breaks of the books a night finds, by check."""
        with reconcile(self.lake, SETTINGS, dry_run=True) as found:
            return Counter(found.breaks["check"].to_pylist())


def _stored(number: str, column: str, at: int) -> dict[str, object]:
    numbers = {"checkout_number": f"CH-{at}", "request_id": f"RQ-{at}"}
    times = {"created_at": SOLD_AT, "updated_at": SOLD_AT}
    row = checkout(at, **(times | numbers | {column: number}))
    return {name: row[name] for name in row if name not in ("pull_id", "seen_at")}


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path)


def spelled(spelling: str, number: int) -> str:
    """Another number in the digits of a spelling, and with its signs."""
    for script in ({}, PERSIAN, ARABIC):
        spelling = spelling.replace(
            "1001".translate(script), f"{number}".translate(script)
        )
    return spelling


@pytest.mark.parametrize("column", ["request_id", "checkout_number"])
@pytest.mark.parametrize("is_early", [True, False])
def test_numbers_in_the_same_bytes_are_matched_and_stand_once(
    column: str, is_early: bool, shop: Shop
) -> None:
    numbers = [spelled(each, 2_001 + at) for at, each in enumerate(SPELLINGS)]
    if is_early:
        shop.export(*numbers)
    shop.pull(*numbers, column=column)
    for _ in range(2):
        shop.export(*numbers)
        assert len(shop.references()) == len(numbers)
        assert not shop.breaks()


MISSING = {"book_missing_at_provider": 1}


@pytest.mark.parametrize("spelling", [IN_PERSIAN, IN_ARABIC, "\u200f" + IN_PERSIAN])
def test_what_was_read_plain_before_the_provider_was_pulled_stays_so(
    spelling: str, shop: Shop
) -> None:
    shop.export(spelling)
    shop.pull(spelling)
    (*_, told) = shop.export(spelling)
    assert told == (
        "column reference is in Persian or Arabic digits, as the provider has it; read "
        "as 0 to 9, as an earlier file was (else an order would stand twice): 1 row, "
        "first at line 2"
    )
    assert shop.references() == ["1001"]
    shop.take_back(1)
    assert any("(else an order" in line for line in shop.export(spelling))
    shop.take_back(3)
    shop.take_back(2)
    assert not any("digits" in line for line in shop.export(spelling))
    assert shop.references() == [spelling.strip("\u200f")]
    assert not shop.breaks()


@pytest.mark.parametrize("is_early", [True, False])
def test_orders_that_differ_in_digits_stay_two_where_the_provider_has_both(
    is_early: bool, shop: Shop
) -> None:
    """Also where the first file brought one of them alone."""
    if is_early:
        shop.export(IN_PERSIAN)
    shop.pull("1001", IN_PERSIAN)
    for _ in range(2):
        shop.export(IN_PERSIAN, "1001")
        assert shop.references() == ["1001", IN_PERSIAN]
        assert not shop.breaks()


@pytest.mark.parametrize("plain", ["1001\u200f", " 1001", "\t'1001"])
def test_orders_stay_two_where_the_provider_has_the_plain_one_marked(
    plain: str, shop: Shop
) -> None:
    shop.export(IN_PERSIAN)
    shop.pull(plain, f"{IN_PERSIAN}\u200c")
    shop.export(IN_PERSIAN, plain)
    assert shop.references() == ["1001", IN_PERSIAN]
    assert not shop.breaks()


def test_orders_in_persian_and_arabic_digits_stay_two_where_the_provider_has_both(
    shop: Shop,
) -> None:
    """What was read plain of either before cannot tell: it is taken back."""
    shop.export(IN_PERSIAN)
    shop.pull(IN_PERSIAN, IN_ARABIC)
    shop.export(IN_PERSIAN, IN_ARABIC)
    assert shop.references() == ["1001", IN_ARABIC, IN_PERSIAN]
    assert shop.breaks() == MISSING
    shop.take_back(1)
    assert shop.references() == [IN_ARABIC, IN_PERSIAN]
    assert not shop.breaks()


def test_an_order_of_plain_digits_is_none_of_the_providers_other_one(
    shop: Shop,
) -> None:
    """No file was read plain: what is stored is another order, of another till."""
    shop.export("1001")
    shop.pull(IN_PERSIAN)
    shop.export("1001", IN_PERSIAN)
    assert shop.references() == ["1001", IN_PERSIAN]
    assert shop.breaks() == MISSING
