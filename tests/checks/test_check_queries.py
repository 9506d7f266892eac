"""The text of the checks: the house's style, and words that both engines understand."""

import re

import pytest
import sqlglot
from sqlglot.errors import ErrorLevel

from recon.reconcile.checks import Check, shipped_checks
from recon.reconcile.models import Model, shipped_catalogue

WIDTH = 80
FORBIDDEN = {
    "an asof join": r"\basof\b",
    "columns by pattern": r"\*\s*(exclude|replace|rename)\b|\bcolumns\(",
    "group or order by all": r"\b(group|order) by all\b",
    "a computed interval": r"\bto_(days|hours|seconds)\(|\binterval \(",
    "another kind of time": r"\bepoch_ms\b|\bto_timestamp\b|\btime_bucket\b",
    "hours by boundary": r"date_diff\('(hour|day)'",
    "a wide or unsigned integer": r"\b(hugeint|uhugeint|ubigint|uinteger)\b",
    "a series": r"\b(generate_series|range)\(",
    "a lateral join": r"\blateral\b",
    "a float": r"\b(double|float|real|decimal)\b",
    "a filtered window": r"filter \((?:[^()]|\([^()]*\))*\) over",
    "a present that as-of would not know": r"\b(now|current_timestamp|today)\b",
}


def models_of_checks() -> list[Model]:
    """Return the checks and the intermediate models below them."""
    models = shipped_catalogue().models
    wanted = [check.model.name for check in shipped_checks()]
    taken: dict[str, Model] = {}
    while wanted:
        name = wanted.pop()
        if name in models and name not in taken and not name.startswith("stg_"):
            taken[name] = models[name]
            wanted.extend(models[name].reads)
    return [taken[name] for name in sorted(taken)]


MODELS = models_of_checks()
CODE = {
    model.name: "\n".join(
        line for line in model.sql.splitlines() if not line.lstrip().startswith("--")
    )
    for model in MODELS
}


@pytest.mark.parametrize("check", shipped_checks(), ids=lambda check: check.name)
def test_check_is_written_in_the_style_of_the_house(check: Check) -> None:
    lines = check.model.sql.splitlines()
    assert [line for line in lines if len(line) > WIDTH] == []
    assert lines[-1] == "select * from final"
    assert [line for line in lines if line != line.rstrip() or "\t" in line] == []


@pytest.mark.parametrize("name", CODE)
def test_query_uses_no_construct_that_an_engine_lacks(name: str) -> None:
    code = CODE[name]
    found = [what for what, words in FORBIDDEN.items() if re.search(words, code)]
    assert found == []


@pytest.mark.parametrize(
    ("what", "code"),
    [
        ("hours by boundary", "date_diff('hour', one, other)"),
        (
            "a filtered window",
            "count(*) filter (where one in (1)) over (order by one)",
        ),
        ("columns by pattern", "select * exclude (one) from t"),
    ],
)
def test_a_construct_that_an_engine_lacks_is_seen(what: str, code: str) -> None:
    assert re.search(FORBIDDEN[what], code)


@pytest.mark.parametrize("name", CODE)
def test_query_is_translated_whole_for_spark(name: str) -> None:
    translated = sqlglot.transpile(
        CODE[name], read="duckdb", write="spark", unsupported_level=ErrorLevel.RAISE
    )
    assert len(translated) == 1
