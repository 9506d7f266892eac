"""No SQL is built from data: what is put into a query's text is vetted, here by name.

A query with something put into it is listed with what that is and why it is safe. A
new one makes this fail until someone has looked at it.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import recon

ROOM = Path(recon.__file__).parent
_SQL = re.compile(
    r"\bselect\b.*\bfrom\b|\bwith \w+ as \(|\binsert into\b|\bdelete from\b|"
    r"\bcreate (temp |or replace )*(view|table)\b|\bpragma\b|^ where | order by |"
    r"\bread_parquet\(|\bcopy \(|\bunion all\b",
    re.DOTALL,
)
_DOORS = {"execute", "executemany", "executescript"}

VETTED = {
    "database.py": {"source"},  # a quoted name, or a query as it was run
    "doctor/remedies.py": {"kind", "counted(count, 'file')"},  # advice, no query
    "journal/deliveries.py": {"marks", "_IS_NEWEST"},  # question marks; a constant
    "journal/journal.py": {"NEWEST", "which", "len(STEPS)"},  # constants
    "lake/compaction.py": {  # queries of selection.py, quoted names of the schema
        *("of_ranked", "own", "place(table)"),
        *("single(table, columns)", "several(table, columns)"),
    },
    "lake/lake.py": {  # queries of selection.py, quoted names; conditions of our own
        *("newest", "single(kept, names)", "versions", "chosen", "where"),
    },
    "lake/selection.py": {  # constants, quoted names of the schema, quoted paths
        *("STANDING", "REPEATED", "found", "twice", "keys", "name", "sql", "files"),
        *("_listed(columns)", "_listed(schema.names)", "_listed(table.key)"),
        *("same(table, STANDING, REPEATED)", "', '.join(places)"),
    },
    "reconcile/balances.py": {"sums"},  # of parameters, by their numbers
    "reconcile/bank/matching.py": {"_LEFT"},  # a constant
    "reconcile/bank/requests.py": {"_AMOUNTS"},  # a constant
    "reconcile/clearing/clearing.py": {"name"},  # of a table
    "reconcile/engines/connecting.py": {"zone.key", "rows"},  # an IANA name; instants
    "reconcile/engines/duckdb.py": {
        *("name", "model.name", "table", "columns", "sql"),
        *("empty", "files", "path"),  # quoted by _quoted
        "order",  # quoted names
    },
    "reconcile/engines/emptiness.py": {  # known names; one statement as it was run
        *("name", "sql", "model.sql"),
    },
    "reconcile/engines/resolving.py": {  # known names
        *("model", "self._aliases[name]", "name"),
    },
    "reconcile/engines/spark.py": {  # names, and a query that is vetted where it is
        *("nulls", "table", "sql", "order"),
    },
    "reconcile/evidence.py": {  # names, parameters
        *("table", "matches", "MAX_RECORDS + 1"),
    },
    "reconcile/matching.py": {"LIKELY", "AMBIGUOUS"},  # constants
    "reconcile/wallet/moves.py": {  # integers, and instants of our own
        *("slot", "first.isoformat()", "_within(instants, near, (reach, skew))"),
        *("_windows(instants, near, (reach, skew), (first, slot))",),
    },
    "reconcile/rollforward.py": {"kinds"},  # constants
    "reconcile/wallet/signatures.py": {  # integers, and instants of our own
        *("rows", "_values(rests)", "_sought_values(sought)", "_within(rests)"),
        *("_amounts(sought)", "given", "_within([rests[other] for _, other in pairs])"),
    },
    "reports/journal.py": {"HELD"},  # a constant
    "reports/streams.py": {  # names of our own models; dates of a period
        *("self.model", "listed", "order", "when"),
    },
    "reports/masking.py": {  # constants; literals with doubled quotes
        *("query", "some", "_USUAL", "_SPELT", "_TATWEEL", "_PLAIN"),
    },
}


def put_in(tree: ast.AST) -> Iterator[str]:
    """Yield what is put into the SQL of a module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = [each for each in node.values if isinstance(each, ast.Constant)]
            if _SQL.search("…".join(str(part.value) for part in parts)):
                for each in node.values:
                    if isinstance(each, ast.FormattedValue):
                        yield ast.unparse(each.value)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in _DOORS and node.args:
                given = node.args[0]
                if isinstance(given, (ast.BinOp, ast.Call)):
                    yield ast.unparse(given)
            elif (
                node.func.attr == "format"
                and isinstance(node.func.value, ast.Constant)
                and _SQL.search(str(node.func.value.value))
            ):
                yield ast.unparse(node)


def modules() -> Iterator[tuple[str, set[str]]]:
    for path in sorted(ROOM.rglob("*.py")):
        name = path.relative_to(ROOM).as_posix()
        if not name.startswith("sandbox/"):
            found = set(put_in(ast.parse(path.read_text("utf-8"))))
            if found:
                yield name, found


def test_only_what_was_vetted_is_put_into_sql() -> None:
    unknown = {
        name: sorted(found - VETTED.get(name, set()))
        for name, found in modules()
        if found - VETTED.get(name, set())
    }
    assert unknown == {}


def test_a_query_made_of_data_is_seen() -> None:
    for line in (
        'x.execute("select a from t where b = " + name)',
        'x.execute("select a from t where b = %s" % name)',
        "x.query(f\"select a from t where b = '{name}'\")",
        '"select a from t where b = {}".format(name)',
    ):
        assert any("name" in each for each in put_in(ast.parse(line))), line
    assert not list(put_in(ast.parse('f"{count} rows where {n} were promised"')))
