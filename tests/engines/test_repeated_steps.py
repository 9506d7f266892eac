"""No query asks for a step so often that an engine without its own store is lost.

Spark and Sail put a step's text wherever the step is named, and so a view's. Of steps
that each name the one before twice, ten name the first a thousand times: to plan that
takes minutes, for three rows as for millions.
"""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from sqlglot import exp

from recon.reconcile.engines.transpiling import parsed
from recon.reconcile.models import Catalogue, Model, shipped_catalogue

MOST = 300
"""The readings of one model that are left when all that is not kept is put in place."""


def readings(model: Model) -> Counter[str]:
    """Count how often each name outside a query is read when its steps are in place."""
    query = parsed(model.sql, model.place).copy()  # it is parsed once for all
    steps: dict[str, Counter[str]] = {}
    for step in query.find_all(exp.CTE):
        steps[step.alias] = _named(step.this, steps)
    if beside := query.args.get("with_"):
        beside.pop()
    return _named(query, steps)


def _named(query: exp.Expr, steps: Mapping[str, Counter[str]]) -> Counter[str]:
    found: Counter[str] = Counter()
    for table in query.find_all(exp.Table):
        found.update(steps.get(table.name, {table.name: 1}))
    return found


def costs(catalogue: Catalogue) -> dict[str, int]:
    """Count for each model what is read to compute it, down to what is kept."""
    found: dict[str, int] = {}

    def cost(name: str) -> int:
        if name not in found:
            each = readings(catalogue.models[name])
            found[name] = sum(n * share(read) for read, n in each.items())
        return found[name]

    def share(name: str) -> int:
        is_view = name in catalogue.models and name not in catalogue.kept
        return cost(name) if is_view else 1

    return {name: cost(name) for name in catalogue.models}


def test_no_model_reads_more_than_can_be_planned() -> None:
    found = costs(shipped_catalogue())
    assert {name: count for name, count in found.items() if count > MOST} == {}


def test_steps_and_views_that_are_named_twice_count_twice() -> None:
    ends = "select * from {}, {} as again"
    step = f"with one as ({ends.format('raw', 'raw')}) {ends.format('one', 'one')}"
    models = {
        name: Model(name, Path("queries/staging/one.sql"), sql, reads)
        for name, sql, reads in (
            ("view", step, frozenset({"raw"})),
            ("reader", ends.format("view", "view"), frozenset({"view"})),
        )
    }
    assert costs(Catalogue(models)) == {"view": 4, "reader": 8}
