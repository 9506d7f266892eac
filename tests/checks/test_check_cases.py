"""Every check against its case file: given rows, and the breaks they must give.

`<check>.toml` has a table a case. In it `because` says what the case shows, a table of
the lake lists its rows by what differs from the builders' valid records, `settings` and
`as_of` differ from the usual ones, `rollforward` and `explanations` stand for the
models that Python computes, and `breaks` lists what must be found: exactly these
records, each with the columns that are named. The text `null` stands for a null.
"""

import re
import tomllib
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from recon import settings as setting_keys
from recon.assets import queries_folder
from recon.lake.schema import INSTANT, RIALS, TEXT
from recon.reconcile.checks import FOUND, Check, run_checks, shipped_checks
from recon.reconcile.computed import COMPUTED
from recon.reconcile.engine import Computed, Engine
from recon.reconcile.engines.duckdb import DuckEngine
from recon.settings import SECTIONS, Business, Settings
from tests.builders import AS_OF, BUILDERS, lake_tables
from tests.checks.catalogue import CATALOGUE
from tests.raw_rows import PULL

FOLDER = Path(__file__).parent
NAMES = sorted(path.stem for path in (queries_folder() / "checks").glob("*.sql"))
KINDS = ("fires", "near_miss", "nulls")

ROLLFORWARD = pa.schema(
    {
        "wallet": TEXT,
        "from_at": INSTANT,
        "to_at": INSTANT,
        "opening_rial": RIALS,
        "payments_rial": RIALS,
        "gateway_rial": RIALS,
        "hosted_rial": RIALS,
        "deposits_rial": RIALS,
        "adjustments_rial": RIALS,
        "expected_closing_rial": RIALS,
        "closing_rial": RIALS,
        "difference_rial": RIALS,
        "explained_rial": RIALS,
        "unexplained_rial": RIALS,
        "detail": TEXT,
        "is_coincidence": pa.bool_(),
    }
)
EXPLANATIONS = pa.schema(
    {
        "wallet": TEXT,
        "to_at": INSTANT,
        "item_id": TEXT,
        "product": TEXT,
        "record_id": TEXT,
        "kind": TEXT,
        "effect_rial": RIALS,
        "solution": pa.int32(),
        "is_unique": pa.bool_(),
    }
)


def plain(value: Any) -> Any:
    """Return a value of a case file with its nulls as None."""
    match value:
        case "null":
            return None
        case dict():
            return {name: plain(item) for name, item in value.items()}
        case list():
            return [plain(item) for item in value]
    return value


def cases_of(check: str) -> dict[str, dict[str, Any]]:
    path = FOLDER / f"{check}.toml"
    if not path.is_file():
        return {}
    with path.open("rb") as file:
        return {name: plain(case) for name, case in tomllib.load(file).items()}


ALL_CASES = [
    pytest.param(check, case, id=f"{check}-{name}")
    for check in NAMES
    for name, case in cases_of(check).items()
]


def settings_of(changed: Mapping[str, Mapping[str, Any]]) -> Settings:
    """Return the settings of a case: sections with the readers of recon.toml."""
    sections = {
        section: SECTIONS[section](
            **{
                key: setting_keys.keys_of(section)[key](value)
                for key, value in keys.items()
            }
        )
        for section, keys in changed.items()
    }
    return Settings(**({"business": Business(name="shop")} | sections))


def computed_of(case: Mapping[str, Any]) -> dict[str, Computed]:
    def rows(model: str, key: str, schema: pa.Schema) -> Computed:
        table = pa.Table.from_pylist(case.get(key, []), schema)

        def compute(engine: Engine) -> dict[str, pa.Table]:
            return {model: table}

        return compute

    return COMPUTED | {
        "int_wallet_rollforward": rows(
            "int_wallet_rollforward", "rollforward", ROLLFORWARD
        ),
        "int_wallet_explanations": rows(
            "int_wallet_explanations", "explanations", EXPLANATIONS
        ),
    }


def check_of(name: str) -> Check:
    return next(check for check in shipped_checks() if check.name == name)


def found(case: Mapping[str, Any], checks: tuple[Check, ...]) -> list[dict[str, Any]]:
    tables = lake_tables({key: case[key] for key in case if key in BUILDERS})
    settings = settings_of(case.get("settings", {}))
    as_of: datetime = case.get("as_of", AS_OF)
    with DuckEngine.open(tables, settings, as_of, computed=computed_of(case)) as engine:
        rows = run_checks(engine, checks, settings)
    assert rows.schema == FOUND
    return list(rows.to_pylist())


BARE_AMOUNT = re.compile(r"[{}]|(?<![\w,-])\d{4,}(?![\w-])")
"""An amount without separators, or a mark of one that was left."""


@pytest.mark.parametrize(("check", "case"), ALL_CASES)
def test_case_gives_exactly_its_breaks(check: str, case: dict[str, Any]) -> None:
    """A case file's rows give the breaks that it names, and no others."""
    breaks = found(case, (check_of(check),))
    expected = case["breaks"]
    assert sorted(row["record_id"] for row in breaks) == sorted(
        row["record_id"] for row in expected
    )
    by_record = {(row["product"], row["record_id"]): row for row in breaks}
    assert len(by_record) == len(breaks), "two breaks have one id"
    assert all(row["detail"] for row in breaks), "a break says nothing"
    for wanted in expected:
        row = next(row for row in breaks if row["record_id"] == wanted["record_id"])
        assert {name: row[name] for name in wanted} == wanted
    for row in breaks:
        assert row["record_id"].strip()
        assert re.fullmatch(r"\S.*\.", row["detail"]), row["detail"]
        assert not BARE_AMOUNT.search(row["detail"]), row["detail"]


@pytest.mark.parametrize("check", NAMES)
def test_check_has_cases_that_fire_miss_nearly_and_hold_nulls(check: str) -> None:
    """Every check's file has its three kinds of case, and only known keys."""
    cases = cases_of(check)
    assert {kind for kind in KINDS if any(n.startswith(kind) for n in cases)} == set(
        KINDS
    )
    assert cases["fires"]["breaks"]
    known = {
        *BUILDERS,
        *("because", "settings", "as_of", "rollforward", "explanations", "breaks"),
    }
    for case in cases.values():
        assert set(case) <= known
        assert case["because"]
    assert all(not case["breaks"] for n, case in cases.items() if "near_miss" in n)


@pytest.mark.parametrize("check", NAMES)
def test_check_has_the_header_of_the_catalogue(check: str) -> None:
    """Severity, product and record are the catalogue's; every text is filled."""
    header = check_of(check)
    assert (header.product, header.severity, header.record) == CATALOGUE[check]
    for text in (header.finds, header.why, header.do, header.source):
        assert re.fullmatch(r"\S.{15,}", text)
        assert text.endswith(".")


def test_every_row_of_the_catalogue_has_its_check() -> None:
    """No check is missing, and none is there that the catalogue does not name."""
    assert sorted(CATALOGUE) == NAMES


def test_case_files_belong_to_checks() -> None:
    """A case file without its check is a leftover."""
    assert sorted(path.stem for path in FOLDER.glob("*.toml")) == NAMES


def test_valid_records_of_every_table_break_no_rule() -> None:
    """One valid record of each table, agreeing with each other, gives no break."""
    case = {
        "checkouts": [{}],
        "payments": [{}],
        "mandates": [{}],
        "agreements": [{}],
        "events": [{}],
        "accounts": [{}],
        "balances": [{}, {}],
        "deposits": [{}],
        "gateway_tokens": [{}],
        "gateway_transactions": [{}],
        "hosted_requests": [{}],
        "hosted_checkouts": [{}],
        "books": [
            {},
            {"reference": "factor-1"},
            {"reference": "3001"},
            {"reference": "trace-1", "status": "unpaid"},
        ],
        "adjustments": [{}],
        "bank_statement": [{}],
        "tariff": [{}],
        "commits": [
            {"source": source, "pull_id": PULL}
            for source in ("checkouts", "mandates", "agreements", "accounts")
        ],
        "settings": {
            "cash_in": {"settled_statuses": ["DONE"]},
            "checks": {"provider_names": ["Paywell"]},
        },
    }
    assert found(case, shipped_checks()) == []
