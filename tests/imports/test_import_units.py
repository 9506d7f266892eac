"""Units that a file tells of elsewhere than in a column currency: never passed by."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from recon.errors import RefusedFile
from recon.imports.importing import FileReport, take
from recon.imports.units import of_cell, of_header, of_number_format, of_title
from recon.lake import Lake
from recon.settings import Business, Imports, Settings
from tests.imports.import_cases import WRITERS, changed, stored

TOMAN = "تومان"


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "lake")


def read(
    lake: Lake,
    *rows: Mapping[str, str],
    suffix: str = ".csv",
    title: str = "",
    values: Mapping[str, str] | None = None,
    imports: Imports | None = None,
) -> FileReport:
    path = WRITERS[suffix](lake.root.parent / f"a{suffix}", rows)
    if title:
        path.write_text(f"{title}\n" + path.read_text("utf-8"), encoding="utf-8")
    settings = Settings(business=Business(name="shop"), imports=imports or Imports())
    return take("books", [path], settings, lake, values=values).files[0]


def shown(
    lake: Lake, number_format: str, values: Mapping[str, str] | None = None
) -> list[int]:
    """Take a workbook whose amount is a number that is shown so; the amounts stored."""
    book = openpyxl.Workbook()
    row: dict[str, Any] = {**changed("books"), "amount": 2_500_000}
    for cells in (list(row), list(row.values())):
        book.active.append(cells)
    book.active.cell(2, list(row).index("amount") + 1).number_format = number_format
    path = lake.root.parent / "a.xlsx"
    book.save(path)
    settings = Settings(business=Business(name="shop"))
    take("books", [path], settings, lake, values=values)
    return amounts(lake)


def amounts(lake: Lake) -> list[int]:
    return [row["amount"] for row in stored(lake, "books")]


@pytest.mark.parametrize("suffix", WRITERS)
@pytest.mark.parametrize("word", [TOMAN, "تومن", "Toman", "IRT", " \u200fتومان"])
def test_a_column_of_units_that_is_not_read_may_not_say_toman(
    word: str, suffix: str, lake: Lake
) -> None:
    with pytest.raises(RefusedFile, match="says toman, and is not read: name it") as e:
        read(lake, changed("books", **{"واحد پول": word}), suffix=suffix)
    assert "column واحد پول: says toman" in str(e.value)
    assert "currency = 'واحد پول' in [imports.columns.books]" in str(e.value)
    assert lake.commits() == []


@pytest.mark.parametrize(
    "name",
    [
        *("واحد", "ارز", "نوع ارز", "واحد پولي", "Currency", "currency unit", "UNIT"),
        *("order_currency", "currencyCode", "units"),
    ],
)
def test_every_usual_name_of_such_a_column_is_known(name: str, lake: Lake) -> None:
    rows = [changed("books", **{name: word}) for word in ("", TOMAN)]
    with pytest.raises(RefusedFile, match=f"line 3, column {name}: says toman"):
        read(lake, *rows)


@pytest.mark.parametrize("word", ["هزار ریال", "میلیون ريال", "Thousand Rials"])
@pytest.mark.parametrize("values", [{}, {"currency": "rial"}])
def test_a_unit_of_thousands_is_refused_whatever_is_stated(
    word: str, values: Mapping[str, str], lake: Lake
) -> None:
    with pytest.raises(RefusedFile, match="amounts are plain rial or toman"):
        read(lake, changed("books", unit=word), values=values)


def test_another_currency_is_refused(lake: Lake) -> None:
    with pytest.raises(RefusedFile, match="column Currency: says 'USD': amounts are"):
        read(lake, changed("books", Currency="USD"))


@pytest.mark.parametrize("sign", ["$", " € ", "£"])
def test_the_sign_of_another_currency_is_refused(sign: str, lake: Lake) -> None:
    rows = [changed("books", reference=each, ارز=each) for each in ("", sign)]
    rows[0]["reference"] = "1"
    with pytest.raises(RefusedFile, match=r"line 3, column ارز: says .*: amounts are"):
        read(lake, *rows)
    read(lake, *rows, values={"currency": "rial"})
    assert amounts(lake) == [1_200_000, 1_200_000]


@pytest.mark.parametrize("word", ["", "عدد", "کیلو", "بسته ۱۰ تومانی", "ریال", "IRR"])
@pytest.mark.parametrize("name", ["unit", "واحد", "Currency"])
def test_a_unit_of_goods_or_the_rial_is_taken(name: str, word: str, lake: Lake) -> None:
    read(lake, changed("books", **{name: word}))
    assert amounts(lake) == [1_200_000]


def test_what_the_refusal_says_to_do_is_enough(lake: Lake) -> None:
    row = changed("books", **{"واحد پول": TOMAN})
    imports = Imports(
        columns={"books": {"currency": "واحد پول"}},
        words={"books": {"currency": {TOMAN: "toman"}}},
    )
    read(lake, row, imports=imports)
    read(lake, row | {"reference": "2"}, values={"currency": "toman"})
    assert amounts(lake) == [12_000_000] * 2


TITLES = [
    *("مبالغ به تومان است", "(ارقام به تومان)", "Amounts in toman", "واحد: تومان,,,"),
]


@pytest.mark.parametrize("title", TITLES)
def test_a_title_that_says_toman_asks_for_the_currency(title: str, lake: Lake) -> None:
    with pytest.raises(RefusedFile) as caught:
        read(lake, changed("books"), title=title)
    assert str(caught.value).startswith("a.csv, line 3: line 1 above the header says ")
    assert "nothing says the currency (rial or toman): state it by" in str(caught.value)
    for currency, rials in (("toman", 10), ("rial", 1)):
        read(lake, changed("books"), title=title, values={"currency": currency})
        assert amounts(lake)[-1] == 1_200_000 * rials


@pytest.mark.parametrize(
    "title", ["مبالغ به هزار ریال", "ارقام به میلیون ريال می\u200cباشد", "in millions"]
)
def test_a_title_that_says_thousands_is_refused(title: str, lake: Lake) -> None:
    with pytest.raises(RefusedFile, match=r"line 1: says .*: convert the amounts"):
        read(lake, changed("books"), title=title, values={"currency": "rial"})


@pytest.mark.parametrize(
    "title",
    [
        *("مبالغ به ریال است", "(ارقام به ریال)", "سقف روزانه ۵۰ میلیون ریال"),
        *("Amounts in rials", "Statement of account", "گزارش", "شعبه میلیونی"),
    ],
)
def test_another_title_says_nothing(title: str, lake: Lake) -> None:
    read(lake, changed("books"), title=title)
    assert amounts(lake) == [1_200_000]


@pytest.mark.parametrize(
    "title", ["مبالغ به ريال است", "(ارقام به ریال)", "Amounts in rials", "واحد: ریال"]
)
def test_a_title_that_says_rial_contradicts_a_currency_of_toman(
    title: str, lake: Lake
) -> None:
    toman = {"currency": "toman"}
    told = "line 1 above the header says .*, and the currency is toman: one of them is"
    with pytest.raises(RefusedFile, match=told):
        read(lake, changed("books"), title=title, values=toman)
    assert lake.commits() == []
    row = changed("books")
    row["مبلغ (تومان)"] = row.pop("amount")  # the header is nearer
    imports = Imports(columns={"books": {"amount": "مبلغ (تومان)"}})
    read(lake, row, title=title, values=toman, imports=imports)
    assert amounts(lake) == [12_000_000]


@pytest.mark.parametrize(
    "title",
    ["مانده: ۵۰۰٬۰۰۰ ریال", "تبدیل تومان به ریال", "قیمت به ریالی", "in rialto"],
)
def test_a_title_that_only_has_the_word_contradicts_nothing(
    title: str, lake: Lake
) -> None:
    read(lake, changed("books"), title=title, values={"currency": "toman"})
    assert amounts(lake) == [12_000_000]


def test_a_header_that_says_rial_is_nearer_than_a_title(lake: Lake) -> None:
    row = changed("books")
    row["مبلغ (ریال)"] = row.pop("amount")
    imports = Imports(columns={"books": {"amount": "مبلغ (ریال)"}})
    read(lake, row, title="کیف پول تومانی", imports=imports)
    assert amounts(lake) == [1_200_000]


@pytest.mark.parametrize(
    "header",
    [
        *(
            "مبلغ (هزار ریال)",
            "مبلغ (میلیون ريال)",
            "مبلغ به هزار تومان",
            "مبلغ (۱۰۰۰ ریال)",
        ),
        *("Amount (IRR '000)", "amountThousands", "amount_million_rials"),
    ],
)
@pytest.mark.parametrize("values", [{}, {"currency": "toman"}])
def test_a_header_that_says_thousands_is_refused(
    header: str, values: Mapping[str, str], lake: Lake
) -> None:
    row = changed("books")
    row[header] = row.pop("amount")
    imports = Imports(columns={"books": {"amount": header}})
    told = "its header says thousands or millions: convert the amounts to plain rial or"
    with pytest.raises(RefusedFile, match=told):
        read(lake, row, imports=imports, values=values)


@pytest.mark.parametrize("header", ["مبلغ (ریال)", "مبلغ به ريال", "amount_irr"])
@pytest.mark.parametrize("is_of_row", [True, False])
def test_a_header_that_says_rial_contradicts_a_currency_of_toman(
    header: str, is_of_row: bool, lake: Lake
) -> None:
    """Ten times each amount would be taken, for a setting that another file needs."""
    row = changed("books", **({"currency": "Toman"} if is_of_row else {}))
    row[header] = row.pop("amount")
    imports = Imports(columns={"books": {"amount": header}})
    given = {} if is_of_row else {"currency": "toman"}
    told = (
        r"\(amount\): its header says rial, and the currency is toman: one of them is"
    )
    with pytest.raises(RefusedFile, match=told):
        read(lake, row, imports=imports, values=given)
    assert lake.commits() == []
    read(lake, row | {"currency": "rial"}, imports=imports, values=given)
    assert amounts(lake) == [1_200_000]


@pytest.mark.parametrize(
    "header",
    [
        *("مبلغ (دلار)", "مبلغ دلاری", "مبلغ به يورو", "مبلغ ارزی", "مبلغ\u200cدرهم"),
        *("Amount (USD)", "amountEur", "amount_aed", "Euros", "Total in US dollars"),
        *("Amount ($)", "مبلغ €"),
    ],
)
def test_a_header_that_says_another_currency_is_refused(
    header: str, lake: Lake
) -> None:
    row = changed("books")
    row[header] = row.pop("amount")
    imports = Imports(columns={"books": {"amount": header}})
    told = "its header says another currency: amounts are plain rial or toman"
    with pytest.raises(RefusedFile, match=told):
        read(lake, row, imports=imports)
    assert lake.commits() == []
    read(lake, row, imports=imports, values={"currency": "rial"})
    assert amounts(lake) == [1_200_000]


@pytest.mark.parametrize("number_format", ['#,##0 "دلار"', "[$USD] #,##0"])
def test_an_amount_that_its_sheet_shows_in_another_currency_is_refused(
    number_format: str, lake: Lake
) -> None:
    told = "column amount: its number format says another currency: amounts are plain"
    with pytest.raises(RefusedFile, match=rf"line 2, {told}"):
        shown(lake, number_format)


@pytest.mark.parametrize(
    "text",
    [
        *("مبلغ", "هزینه", "amount", "amount (rial)", "IRR", ""),
        *("مبلغ ارز", "amount to try", "europe", "دلارام", "ارزیابی"),
    ],
)
def test_a_plain_header_says_no_unit(text: str) -> None:
    assert of_header(text) is None
    assert of_title(text) is None
    assert of_cell(text) is None


@pytest.mark.parametrize("suffix", [".csv", ".xlsx"])
def test_a_row_above_the_header_is_not_lost(suffix: str, lake: Lake) -> None:
    rows = [changed("books", reference=str(at)) for at in range(3)]
    joined = [*rows, dict(zip(rows[0], rows[0], strict=True)), *rows]
    first = [{f"x{name}": cell for name, cell in row.items()} for row in joined]
    told = r"line 2: stands above the header \(line 5\) and reads as one of its rows"
    with pytest.raises(RefusedFile, match=told):
        read(lake, *first, suffix=suffix)


@pytest.mark.parametrize("word", ["ریال", "ريال ایران", "IRR", "Rials", "\u200fریال"])
def test_a_column_that_is_not_read_may_not_say_rial_beside_a_given_toman(
    word: str, lake: Lake
) -> None:
    row = changed("books", **{"واحد پول": word})
    given = {"currency": "toman"}
    told = r"line 2, column واحد پول: says .*, and the currency is given as toman: name"
    with pytest.raises(RefusedFile, match=told):
        read(lake, row, values=given)
    imports = Imports(
        columns={"books": {"currency": "واحد پول"}},
        words={"books": {"currency": {word: "rial"}}},
    )
    read(lake, row, values=given, imports=imports)
    assert amounts(lake) == [1_200_000]


@pytest.mark.parametrize(
    ("word", "given"),
    [
        *(("ریال", {}), ("ریال", {"currency": "rial"})),
        *(("عدد", {"currency": "toman"}), ("تومان", {"currency": "toman"})),
        ("", {"currency": "toman"}),
    ],
)
def test_a_column_that_says_what_the_currency_is_stays_unread(
    word: str, given: Mapping[str, str], lake: Lake
) -> None:
    read(lake, changed("books", **{"واحد پول": word}), values=given)
    rials = 10 if given.get("currency") == "toman" else 1
    assert amounts(lake) == [1_200_000 * rials]


@pytest.mark.parametrize(
    "number_format",
    ['#,##0 "تومان"', "[$تومان-429] #,##0", "#,##0 [$IRT]", '#,##0, "هزار تومان"'],
)
def test_an_amount_that_its_sheet_shows_in_toman_needs_a_currency(
    number_format: str, lake: Lake
) -> None:
    told = "column amount: its number format says toman, and nothing says the currency"
    with pytest.raises(RefusedFile, match=rf"line 2, {told}"):
        shown(lake, number_format)
    assert lake.commits() == []
    assert shown(lake, number_format, {"currency": "toman"}) == [25_000_000]


@pytest.mark.parametrize("values", [{}, {"currency": "toman"}])
def test_an_amount_that_its_sheet_calls_thousands_is_refused(
    values: Mapping[str, str], lake: Lake
) -> None:
    with pytest.raises(RefusedFile, match="number format says thousands or millions"):
        shown(lake, '#,##0 "هزار ریال"', values)


@pytest.mark.parametrize(
    "number_format",
    [
        *("General", "#,##0", '#,##0 "ریال"', "[$-3000401]#,##0", '#,##0,"هزار"'),
        *('"$"#,##0', '0.0,, "میلیون ریال"', "#,##0_);[Red]\\(#,##0\\)"),
    ],
)
def test_another_number_format_says_nothing(number_format: str, lake: Lake) -> None:
    assert of_number_format(number_format) is None
    assert shown(lake, number_format) == [2_500_000]
