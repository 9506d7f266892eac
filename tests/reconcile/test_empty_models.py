"""What cases by hand take to be empty is so, whatever the settings say."""

from dataclasses import replace

import pytest

from recon.reconcile.models import shipped_catalogue
from recon.settings import CashIn, Checks, Gateway, Hosted, Settings, Unified
from tests import builders
from tests.reconcile import empty_models
from tests.reconcile.empty_models import catalogue_over, open_over
from tests.reconcile.wallet_world import at, balances, deposit, settings

CHANGED = {"2026-10-03": "IR2", "2026-10-05": "IR1"}
CUSTOMERS = "customer"
OTHER_SETTINGS = replace(
    settings(),
    unified=Unified(fee_bearer=CUSTOMERS, fee_bearer_since={"2026-10-02": "business"}),
    gateway=Gateway(fee_bearer=CUSTOMERS),
    hosted=Hosted(fee_bearer=CUSTOMERS),
    cash_in=CashIn(
        wallet_iban="IR1",
        wallet_iban_since=CHANGED,
        settled_statuses=("DONE", "INIT"),
        wage_from="wallet",
        balance_of="bank_account",
    ),
    checks=Checks(provider_names=("Paywell",), tolerance=5),
)


@pytest.mark.parametrize("chosen", [OTHER_SETTINGS, replace(settings(), cash_in=None)])
def test_no_setting_makes_rows_of_an_empty_lake(chosen: Settings) -> None:
    usual = empty_models._empty_models()
    assert usual.keys() == empty_models._empty_models.__wrapped__(chosen).keys()


def test_what_reads_a_table_with_rows_is_the_shipped_model() -> None:
    shipped = shipped_catalogue().models
    given = catalogue_over(frozenset({"payments", "commits"})).models
    for name in ("stg_unified__payments", "int_wallet_movements", "int_wallet_rests"):
        assert given[name] is shipped[name]
    for name in ("stg_cash_in__deposits", "int_wallet_snapshots"):
        assert given[name] is not shipped[name]
    assert given.keys() == shipped.keys()
    assert catalogue_over(frozenset(builders.BUILDERS)).models == shipped


def test_an_answer_is_that_of_the_shipped_models(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tables = builders.lake_tables(
        {"balances": balances(0, 5), "deposits": [deposit("d", at(1, 9), 5)]}
    )
    asked = ("int_wallet_rollforward", "report_journal")
    with open_over(tables, settings(), at(31)) as engine:
        brief = [engine.table(name) for name in asked]
    monkeypatch.setattr(empty_models, "_empty_models", dict)
    catalogue_over.cache_clear()
    with open_over(tables, settings(), at(31)) as engine:
        whole = [engine.table(name) for name in asked]
    catalogue_over.cache_clear()
    assert brief == whole
    assert all(table.num_rows for table in whole)
