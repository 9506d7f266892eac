"""The header of a check: every key, in order, with a value that is allowed."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from recon.errors import UsageError
from recon.reconcile.checks import Check, read_checks, run_checks, shipped_checks
from recon.reconcile.engines import DuckEngine
from recon.reconcile.models import Catalogue
from recon.settings import Business, Checks, Settings
from tests.reconcile.test_models import folder

HEADER = {
    "finds": "a thing\n--   of two lines.",
    "why": "because.",
    "do": "this: that.",
    "severity": "error",
    "product": "unified",
    "record": "payment id",
    "source": "document 3.",
}
QUERY = """
select 'p' as record_id, 'c' as related_id, now() as occurred_at,
    cast(2 as bigint) as expected, 3 as actual, 'detail' as detail
"""


def checks(root: Path, query: str = QUERY, **header: str | None) -> tuple[Check, ...]:
    lines = [f"-- {key}: {text}" for key, text in (HEADER | header).items() if text]
    text = "\n".join(lines).replace("false_alarm", "false alarm")
    return read_checks(Catalogue.of(folder(root, checks__c=text + query)))


def run(found: tuple[Check, ...], **settings: Any) -> list[dict[str, Any]]:
    chosen = Settings(business=Business(name="shop"), checks=Checks(**settings))
    catalogue = Catalogue({check.model.name: check.model for check in found})
    now = datetime(2026, 10, 31, tzinfo=UTC)
    with DuckEngine.open({}, chosen, now, catalogue=catalogue) as engine:
        return list(run_checks(engine, found, chosen).to_pylist())


def test_texts_continue_on_following_lines(tmp_path: Path) -> None:
    (check,) = checks(tmp_path, false_alarm="never.")
    assert check.finds == "a thing of two lines."
    assert check.do == "this: that."
    assert check.false_alarm == "never."
    assert (check.name, check.severity, check.product) == ("c", "error", "unified")


@pytest.mark.parametrize("key", list(HEADER))
def test_a_missing_key_names_the_file(tmp_path: Path, key: str) -> None:
    with pytest.raises(UsageError, match=r"checks/c\.sql: its header must have finds"):
        checks(tmp_path, **{key: None})


def test_another_order_or_an_unknown_key_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="in this order"):
        checks(tmp_path, author="me")


@pytest.mark.parametrize(
    ("key", "value"), [("severity", "bad"), ("product", "unifeid")]
)
def test_a_value_that_is_not_allowed_is_refused(
    tmp_path: Path, key: str, value: str
) -> None:
    with pytest.raises(UsageError, match=f"its {key} is '{value}'; it may be"):
        checks(tmp_path, **{key: value})


def test_a_break_has_the_checks_columns(tmp_path: Path) -> None:
    (row,) = run(checks(tmp_path))
    assert (row["check"], row["severity"], row["product"]) == ("c", "error", "unified")
    assert (row["expected"], row["actual"]) == (2, 3)


def test_a_severity_can_be_changed_and_a_check_disabled(tmp_path: Path) -> None:
    found = checks(tmp_path)
    (row,) = run(found, severity={"c": "info"})
    assert row["severity"] == "info"
    assert run(found, disabled=("c",)) == []


def test_a_query_without_a_column_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"checks/c\.sql: .* no column 'record_id'"):
        run(checks(tmp_path, query="\nselect 1 as n"))
    with pytest.raises(UsageError, match=r"checks/c\.sql: .* no column 'product'"):
        run(checks(tmp_path, product="every"))


def test_an_amount_that_is_no_integer_names_the_file(tmp_path: Path) -> None:
    found = checks(tmp_path, query=QUERY.replace("3 as actual", "3.5 as actual"))
    with pytest.raises(UsageError, match=r"checks/c\.sql: a column of the wrong type"):
        run(found)


def test_every_shipped_check_has_its_header() -> None:
    names = [check.name for check in shipped_checks()]
    assert names == sorted(names)
    assert "wallet_rollforward" in names


@pytest.mark.parametrize(
    ("marked", "told"),
    [
        ("{1200000} of {-8773347}", "1,200,000 of -8,773,347"),
        ("{123456789012345678901234567890}", "123,456,789,012,345,678,901,234,567,890"),
        ("{999} and {0}", "999 and 0"),
        ("The order 1234567 is of {an unknown amount}.",) * 2,
        ("{} {1.5} {a1} {1,000} {", "{} {1.5} {a1} {1,000} {"),
    ],
)
def test_marked_amounts_have_separators_and_nothing_else_has(
    tmp_path: Path, marked: str, told: str
) -> None:
    (row,) = run(checks(tmp_path, query=QUERY.replace("'detail'", f"'{marked}'")))
    assert row["detail"] == told.replace("{an unknown amount}", "an unknown amount")


@pytest.mark.parametrize(("given", "told"), [("null", None), ("5", "5")])
def test_a_detail_may_be_none_or_no_text(
    tmp_path: Path, given: str, told: str | None
) -> None:
    (row,) = run(checks(tmp_path, query=QUERY.replace("'detail'", given)))
    assert row["detail"] == told
