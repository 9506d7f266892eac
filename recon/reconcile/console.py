"""Free questions over the lake's tables, the models and the results of a run.

Called by `recon sql` and by notebooks. Short names stand for the newest version of
each table; the results are those of the reports.
"""

import re
from collections.abc import Collection, Mapping
from datetime import datetime

import pyarrow as pa

from recon.api.redaction import Redaction
from recon.errors import UsageError
from recon.imports.history import imported
from recon.lake import Lake
from recon.reconcile.engines.arrow_tables import refuse_far_dates
from recon.reconcile.models import tables_named
from recon.reconcile.result import Result
from recon.reconcile.run import last_result, present_result
from recon.reconcile.secrecy import without_secrets
from recon.settings import Settings
from recon.wording import is_utf8

__all__ = ["CURRENT", "answer", "ask", "last_result"]

CURRENT: Mapping[str, str] = {
    "checkouts": "stg_unified__checkouts",
    "payments": "stg_unified__payments",
    "mandates": "stg_unified__mandates",
    "payment_methods": "stg_unified__payment_methods",
    "agreements": "stg_escrow__agreements",
    "customers": "stg_escrow__customers",
    "events": "stg_escrow__events",
    "accounts": "stg_cash_in__accounts",
    "balances": "stg_cash_in__balances",
    "deposits": "stg_cash_in__deposits",
    "gateway_tokens": "stg_gateway__requests",
    "gateway_transactions": "stg_gateway__transactions",
    "hosted_requests": "stg_hosted__requests",
    "hosted_checkouts": "stg_hosted__checkouts",
    "books": "stg_books__orders",
    "adjustments": "stg_business__adjustments",
    "bank_statement": "stg_business__bank_entries",
    "bank_balances": "int_bank_balances",
    "tariff": "stg_business__tariff",
    "movements": "int_wallet_movements",
    "fee_schedules": "int_fee_schedules",
    "off_schedule": "int_fee_off_schedule",
    "flows": "report_flows",
    "failures": "report_failures",
    "fees": "report_fees",
    "matches": "report_matches",
    "bank_matches": "report_bank_matches",
    "settlements": "report_settlements",
    "duplicate_payments": "report_duplicate_payments",
    "journal": "report_journal",
}
"""Short names for people, and the model that each of them is."""


_RESULTS = ("breaks", "rollforward")
"""What a run finds; the checks are run only where a query reads the breaks."""


IMPORTS = "imports"
"""The files that were imported; they are read where a query asks for them."""


_QUESTION = re.compile(
    r"(?:\s|--[^\n]*(?:\n|$)|/\*.*?\*/|\()*"
    r"(select|from|with|values|table|pivot|unpivot|describe|desc|summarize|show"
    r"|explain(?!\s*\(|\s+analy[sz]e))\b",
    re.IGNORECASE | re.DOTALL,
)
_TYPES = ("SELECT", "EXPLAIN", "MULTI")  # a pivot is made of several
_SHOW = re.compile(r"\s*show\s+(all\s+)?tables\s*;?\s*", re.IGNORECASE)
_NO_TABLE = re.compile(r"the query[:\d]*: Catalog Error: Table with name ")
_NO_COLUMN = re.compile(
    r"the query[:\d]*: Binder Error: "
    r"(?:Referenced column |.* does not have a column named |Column .* not exist)"
)
_WORD_OF_SQL = re.compile(
    r"the query[:\d]*: Parser Error: syntax error at or near \"(check)\"",
    re.IGNORECASE,
)
"""The one name of a column that SQL keeps for itself: that of the breaks."""


def ask(
    query: str, lake: Lake, settings: Settings, *, as_of: datetime | None = None
) -> pa.Table:
    """Answer a query (DuckDB's SQL) over the lake as of T (now); writes nothing.

    `breaks` and `rollforward` are those of T, without one those of the last run. Raises
    UsageError with the engine's one line where the query is wrong, with the name that
    may have been meant, and where it is no question: it could write into the lake.
    Secrets of the settings are masked, whatever file the query reads.
    """
    if _SHOW.fullmatch(query):
        return _shown()
    _refuse_what_writes(query)
    named = _named(query)
    with last_result(lake, settings, as_of=as_of) as last:
        results = _results(named, last)
    with present_result(lake, settings, as_of=as_of) as present:
        return _answered(query, named, results, present)


def answer(query: str, result: Result) -> pa.Table:
    """Answer a query over a run, of which only what the query reads is computed."""
    if _SHOW.fullmatch(query):
        return _shown()
    _refuse_what_writes(query)
    named = _named(query)
    return _answered(query, named, _results(named, result), result)


def _shown() -> pa.Table:
    """Return the names that may be asked for."""
    return pa.table({"name": sorted({*CURRENT, *_RESULTS, IMPORTS})})


def _refuse_what_writes(query: str) -> None:
    """Refuse what is not one question: a copy, say, would write over any file."""
    import duckdb  # noqa: PLC0415 - what is asked of a kept run needs no engine

    if not is_utf8(query):
        raise UsageError("the query is not a text in UTF-8")
    try:
        found = [each.type.name for each in duckdb.extract_statements(query)]
    except duckdb.Error:
        return  # the engine says what is wrong with it
    if len(found) > 1:
        raise UsageError("the query: ask one question at a time")
    if found and not (_QUESTION.match(query) and found[0] in _TYPES):
        raise UsageError("the query: only questions are answered (select …)")


def _named(query: str) -> frozenset[str]:
    """Return the names of the tables that a query may read."""
    try:
        return tables_named(query, "the query")
    except UsageError as error:  # that it ends within a word, or is none before it
        raise UsageError(f"{error}{_advice(str(error), ())}") from None


def _results(named: Collection[str], result: Result) -> dict[str, pa.Table]:
    return {name: getattr(result, name) for name in _RESULTS if name in named}


def _answered(
    query: str,
    named: Collection[str],
    results: Mapping[str, pa.Table],
    result: Result,
) -> pa.Table:
    if IMPORTS in named:
        results = {**results, IMPORTS: imported(result.lake, result.as_of)}
    redaction = Redaction.of(result.settings)
    engine = result.engine.named(CURRENT, results)
    try:
        found = engine.ready(named).query(query)
    except UsageError as error:
        advice = _advice(str(error), engine.known().intersection(named))
        raise UsageError(redaction.text(f"{error}{advice}")) from None
    refuse_far_dates(found, "the query")
    return without_secrets(found, redaction)


def _advice(told: str, tables: Collection[str]) -> str:
    """Return where the names are listed, if an error tells of a name that is none."""
    if _NO_TABLE.match(told):
        return " (`show tables` lists what there is)"
    if _NO_COLUMN.match(told):
        (table,) = tables if len(tables) == 1 else ("<table>",)
        return f" (`describe {table}` lists the columns)"
    if _WORD_OF_SQL.match(told):
        return ' (a word of SQL: as a column it is "check", in double quotes)'
    return ""
