from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recon.lake.schema import TABLES
from recon.reports.masking import Masking, masking
from recon.settings import Business, CashIn, Reports, Settings
from tests.reports.stand_in import ResultStandIn, rows

UUID = "5e0d1f5c-0912-4345-8678-091234567890"
IBAN = "IR062960000000100324200001"
ACCOUNT = "IR820540102680020817909002"
WALLET = "IR112960000000100324200002"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("call 09123456789 now", "call 0912*****89 now"),
        ("mobile:+989123456789.", "mobile:+9891******89."),
        ("00989123456789", "0098********89"),
        ("0912 345 6789", "0912 *** **89"),
        ("۰۹۱۲۳۴۵۶۷۸۹", "۰۹۱۲*****۸۹"),
        ("٠٩١٢٣٤٥٦٧٨٩", "٠٩١٢*****٨٩"),
        ("card 6037991234567890", "card 603799******7890"),
        ("6037-9912-3456-7890", "6037-99**-****-7890"),
        ("۶۰۳۷۹۹۱۲۳۴۵۶۷۸۹۰", "۶۰۳۷۹۹******۷۸۹۰"),
        ("write to sara.n@example.com", "write to s***@***"),
        ("national code 1234567890", "national code ********90"),
        ("کد ملی: ۱۲۳۴۵۶۷۸۹۰", "کد ملی: ********۹۰"),
        ("0012345678", "********78"),
        ("0499370899", "********99"),
        ("0912 111 22 33", "0912 *** ** 33"),
        ("0912.111.2233", "0912.***.**33"),
        ("(0912) 111-2233", "(0912) ***-**33"),
        ("+98 (912) 111 22 33", "+98 (91*) *** ** 33"),
        ("0912\u2013111\u20132233", "0912\u2013***\u2013**33"),
        ("0912\u00a0111\u00a02233", "0912\u00a0***\u00a0**33"),
        ("به09121112233", "به0912*****33"),
        ("کارت۶۰۳۷۹۹۱۲۳۴۵۶۷۸۹۰ریال", "کارت۶۰۳۷۹۹******۷۸۹۰ریال"),
        ("6037.9912.3456.7890", "6037.99**.****.7890"),
        ("6037\u200c9912\u200c3456\u200c7890", "6037\u200c99**\u200c****\u200c7890"),
        ("2071771234567895", "207177******7895"),  # a bank whose cards begin with 2
        ("کدملی0499370899", "کدملی********99"),
        ("049-937089-9", "***-*****9-9"),
    ],
)
def test_what_belongs_to_a_person_is_masked(text: str, shown: str) -> None:
    assert Masking().text(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        UUID,
        f"{UUID}:2026-03",
        IBAN,
        "IR06 2960 0000 0010 0324 2000 01",
        f"{IBAN}:2026-03-01T10:00:00Z",
        "1,234,567,890 rials",
        "-9,123,456,789",
        "1000000000",
        "9123456789",  # an amount of ten digits; a mobile begins with 0 or 98
        "4993708990 rial",
        "a 091234567890123456789012 b",
        "6037-99**-****-7890",
        "2071771234567890",  # of such a number the check digit must be right
        "049-937089-8",
        "4993708990ریال",
        "632b09121112233a947d930653f507befe9",
        "0912, 111, 2233",
        "0912 - 111 - 2233",
        "WITHDRAWAL_TIMEOUT",
        "",
    ],
)
def test_what_belongs_to_no_one_stays(text: str) -> None:
    assert Masking().text(text) == text


def test_an_identifier_that_looks_like_a_card_stays_and_a_mobile_does_not() -> None:
    assert Masking().identifier("6037991234567890") == "6037991234567890"
    assert Masking().identifier("0012345679") == "0012345679"
    assert Masking().identifier("09123456789") == "0912*****89"


def test_a_tracking_code_is_shown_whole_whatever_its_check_digit() -> None:
    """Every eleventh has that of a national code; then nobody could look it up."""
    given = pa.table({"tracking_code": ["1751474496"], "state": ["1751474496"]})
    shown = Masking().table(given).to_pylist()
    assert shown == [{"tracking_code": "1751474496", "state": "********96"}]


def test_the_names_of_deposits_are_shown_whole_whatever_their_check_digit() -> None:
    names = ("track_id", "record_ids", "movement_id", "iban")
    given = pa.table({name: ["7 1751474496"] for name in names})
    assert Masking().table(given).equals(given)


def test_an_amount_in_the_words_of_a_check_stays_whatever_its_check_digit() -> None:
    amount = "1751474496"  # has the check digit of a national code
    assert Masking().text(amount) == "********96"
    assert Masking().account(f"{amount} is unexplained") == f"{amount} is unexplained"
    assert Masking().account("0499370899, national code 1751474496") == (
        "********99, national code ********96"
    )
    assert Masking().account("by 09123456789") == "by 0912*****89"


@given(
    st.text(alphabet="آاب xyz,.:-\n", max_size=20), st.text("آاب xyz,.:\n", max_size=20)
)
def test_a_mobile_is_masked_whatever_stands_around_it(before: str, after: str) -> None:
    masked = Masking().text(f"{before} 09351112233 {after}")
    assert "09351112233" not in masked
    assert masked.startswith(before)
    assert masked.endswith(after)


def settings(personal_data: str = "mask") -> Settings:
    return Settings(
        business=Business(name="shop"),
        cash_in=CashIn(wallet_iban=WALLET),
        reports=Reports(personal_data=personal_data),
    )


def lake_with_accounts() -> ResultStandIn:
    filled = {"pull_id": "p", "seen_at": 0, "record_hash": "h"}
    given = {"deposits": ACCOUNT, "bank_statement": f" {IBAN.lower()} "}
    return ResultStandIn(
        {
            f"raw_{name}": rows(TABLES[name].schema, [filled | {"iban": iban}])
            for name, iban in given.items()
        }
    )


def lake_with_people() -> ResultStandIn:
    filled = {"pull_id": "p", "seen_at": 0, "record_hash": "h"}
    return ResultStandIn(
        {
            "raw_checkouts": rows(
                TABLES["checkouts"].schema,
                [
                    filled
                    | {
                        "id": "1",
                        "customer_first_name": "سارا",
                        "customer_last_name": "رضایی نژاد",
                        "customer_national_code": "4444444444",
                        "customer_mobile": "09124567893",
                    }
                ],
            ),
            "raw_customers": rows(
                TABLES["customers"].schema,
                [filled | {"uid": "1", "first_name": "O", "last_name": "Neil's"}],
            ),
        }
    )


def lake_of_people(names: Sequence[tuple[str, str]]) -> ResultStandIn:
    filled = {"pull_id": "p", "seen_at": 0, "record_hash": "h"}
    people = [
        filled | {"uid": str(uid), "first_name": first, "last_name": last}
        for uid, (first, last) in enumerate(names)
    ]
    schema = TABLES["customers"].schema
    return ResultStandIn({"raw_customers": rows(schema, people)})


def test_names_and_national_codes_of_the_lake_are_recognised() -> None:
    table = pa.table(
        {
            "detail": ["به سارا رضایی نژاد پرداخت شد", "سارا", "3333333334 4444444444"],
            "record_id": ["4444444444", "3333333334", None],
            "amount": [1, 2, 3],
        }
    )
    mask = masking(lake_with_people(), settings(), [table])
    assert mask is not None
    shown = mask.table(table)
    assert shown["detail"].to_pylist() == [
        "به س*** ر*** ن*** پرداخت شد",
        "سارا",
        "3333333334 ********44",
    ]
    assert shown["record_id"].to_pylist() == ["********44", "3333333334", None]
    assert shown["amount"].to_pylist() == [1, 2, 3]


@pytest.mark.parametrize(
    "written",
    [
        "سارا رضايى نژاد",  # with the Arabic ye, as banks write it
        "سارا رضایي نژاد",
        "سارا  رضایی\u00a0نژاد",
        "سا\u200cرا رضایی نژاد",
    ],
)
def test_a_name_is_recognised_however_a_bank_spells_it(written: str) -> None:
    table = pa.table({"narration": [f"Adjustment: {written}"]})
    mask = masking(lake_with_people(), settings(), [table])
    assert mask is not None
    (shown,) = mask.table(table)["narration"].to_pylist()
    assert shown.split(": ")[1] == "س*** ر*** ن***"


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("رضایی نژاد سارا", "ر*** ن*** س***"),  # the last name first
        ("رضایی‌نژاد، سارا", "ر*** س***"),
        ("سارا\u200cرضایی\u200cنژاد", "س***"),
        ("سارا\u200c رضایی \u200fنژاد", "س*** ر*** ن***"),
        ("سارا رضایی\nنژاد", "س*** ر*** ن***"),
        ("سارا رَضایی نژاد", "س*** ر*** ن***"),
        ("سارا_رضایی_نژاد", "س***"),
        ("سارا رضایی نژاد سارا", "س*** ر*** ن*** س***"),
    ],
)
def test_a_name_is_recognised_however_people_write_it(written: str, shown: str) -> None:
    table = pa.table({"narration": [f"settlement 7 {written}/12"]})
    mask = masking(lake_with_people(), settings(), [table])
    assert mask is not None
    (found,) = mask.table(table)["narration"].to_pylist()
    assert found == f"settlement 7 {shown}/12"


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("to O Neil's", "to O*** N***"),
        ("to O NEIL\u2019S", "to O*** N***"),
        ("ALI REZA AHMADI", "A*** R*** A***"),
        ("Ali-Reza Ahmadi", "A*** A***"),
        ("ahmadi, alireza", "a*** a***"),
        ("مرتضی رضایی", "م*** ر***"),
        ("مرتضی رضائی", "م*** ر***"),
        ("مرتضی رضـايي", "م*** ر***"),
        ("اسیه فواد", "ا*** ف***"),
        ("آسية فؤاد", "آ*** ف***"),
        ("ا\u0653سیه فواد", "ا*** ف***"),
    ],
)
def test_a_name_is_known_by_its_letters_however_the_provider_spells_it(
    written: str, shown: str
) -> None:
    """With a hyphen, an apostrophe, vowels, a hamza or capitals, on either side."""
    names = (
        ("O", "Neil's"),
        ("Ali-Reza", "Ahmadi"),
        ("مُرتَضی", "رضائی"),
        ("آسیه", "فؤاد"),
    )
    table = pa.table({"narration": [f"7: {written}"]})
    mask = masking(lake_of_people(names), settings(), [table])
    assert mask is not None
    assert mask.table(table)["narration"].to_pylist() == [f"7: {shown}"]


@pytest.mark.parametrize(
    "text",
    [
        "سارا رضایی",
        "سارا رضایی نژادی",
        "سارا 7 رضایی نژاد",
        "رضایی سارا نژاد",
        "O Neil",
    ],
)
def test_what_is_not_the_whole_name_stays(text: str) -> None:
    table = pa.table({"narration": [text]})
    mask = masking(lake_with_people(), settings(), [table])
    assert mask is not None
    assert mask.table(table) == table


def test_a_mobile_of_the_lake_is_recognised_without_its_zero() -> None:
    """A spreadsheet takes it for a number; ten other digits may be an amount."""
    table = pa.table({"narration": ["9124567893", "۹۱۲۴۵۶۷۸۹۳", "9124567894"]})
    mask = masking(lake_with_people(), settings(), [table])
    assert mask is not None
    shown = mask.table(table)["narration"].to_pylist()
    assert shown == ["********93", "********۹۳", "9124567894"]


OTHERS = "IR120570028180010957775103"


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (f"to {OTHERS}", "to IR12057***************5103"),
        (f"به شبا{OTHERS}.", "به شباIR12057***************5103."),
        ("ir12 0570 0281 8001 0957 7751 03", "ir12 057* **** **** **** **51 03"),
        ("IR12-0570-0281-8001-0957-7751-03", "IR12-057*-****-****-****-**51-03"),
        (f"{IBAN}, {OTHERS}", f"{IBAN}, IR12057***************5103"),
    ],
)
def test_an_account_that_is_not_the_business_s_is_masked(
    written: str, shown: str
) -> None:
    table = pa.table({"description": [written]})
    mask = masking(lake_with_accounts(), settings(), [table])
    assert mask is not None
    assert mask.table(table)["description"].to_pylist() == [shown]


@pytest.mark.parametrize(
    "written",
    [
        IBAN,
        IBAN.lower(),
        "IR06 2960 0000 0010 0324 2000 01",
        ACCOUNT,
        WALLET,
        "IR06-2960-0000-0010-0324-2000-01",
    ],
)
def test_an_account_of_the_business_stays(written: str) -> None:
    table = pa.table({"description": [f"settlement to {written}"]})
    mask = masking(lake_with_accounts(), settings(), [table])
    assert mask is not None
    assert mask.table(table) == table


def test_an_account_stays_in_identifiers_and_in_the_words_of_a_check() -> None:
    """What a check says of an unknown account nobody could look up otherwise."""
    given = {"iban": [OTHERS], "record_id": [OTHERS], "detail": [f"from {OTHERS}"]}
    table = pa.table({**given, "description": [OTHERS]})
    mask = masking(lake_with_accounts(), settings(), [table])
    assert mask is not None
    assert mask.table(table).drop_columns("description").to_pydict() == given


def test_the_lake_is_asked_once_however_many_codes_there_are() -> None:
    asked: list[str] = []

    class Counting(ResultStandIn):
        def sql(self, query: str, **parameters: Any) -> pa.Table:
            asked.append(query)
            return super().sql(query, **parameters)

    codes = [str(4_444_440_000 + number) for number in range(10_000)]
    table = pa.table({"reference": codes})
    mask = masking(Counting(lake_with_people().tables), settings(), [table])
    assert mask == Masking(codes=frozenset({"4444444444"}))
    assert len(asked) == 1


def test_a_text_cannot_leave_the_question_it_is_asked_in() -> None:
    table = pa.table({"detail": ["it' or 'x", "o'; drop table x; --"]})
    assert masking(lake_with_people(), settings(), [table]) == Masking()


def test_kept_personal_data_is_not_searched() -> None:
    table = pa.table({"detail": ["09123456789"]})
    assert masking(lake_with_people(), settings("keep"), [table]) is None


def test_an_empty_table_and_a_column_of_nulls_stay_as_they_are() -> None:
    table = pa.table({"detail": pa.array([None, None], pa.string())})
    assert Masking().table(table) == table
    assert Masking().table(table.slice(0, 0)).num_rows == 0
