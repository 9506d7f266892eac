"""Files of the business that were never imported, though what was pulled wants them."""

import pytest

from tests.reconcile.disclosures.test_coverage import Row, missing


def test_files_that_were_never_imported_are_named() -> None:
    assert missing() == ["books", "tariff"]
    assert missing(deposits=[{}]) == ["bank_statement", "books", "tariff"]
    assert missing(adjustments=[{}], books=[{}]) == ["bank_statement", "tariff"]
    assert missing(adjustments=[{"kind": "correction"}], tariff=[{}]) == ["books"]
    assert missing(deposits=[{}], bank_statement=[{}], books=[{}], tariff=[{}]) == []


FILES: dict[str, list[Row]] = {"books": [{}], "tariff": [{}]}


@pytest.mark.parametrize(
    ("source", "table", "kind"),
    [
        ("agreements", "events", "events"),
        ("gateway_transactions", "gateway_tokens", "gateway_tokens"),
        ("hosted_checkouts", "hosted_requests", "hosted_checkouts"),
    ],
)
def test_a_product_that_nobody_can_ask_for_is_named(
    source: str, table: str, kind: str
) -> None:
    """A night that looks up no token finds nothing wrong with any."""
    assert missing(source, **FILES) == [kind]
    assert missing(source, **FILES, **{table: [{}]}) == []
    assert missing("customers", **FILES) == []


def test_escrow_has_no_wage_that_a_tariff_would_give() -> None:
    assert missing("agreements", "customers", "webhooks", events=[{}]) == ["books"]
    assert missing("agreements", "accounts", events=[{}]) == ["books", "tariff"]


def test_without_an_agreement_no_event_is_missed() -> None:
    assert missing("agreements", records=0, **FILES) == []
