"""A business that imports files, takes them back and pulls, and lines of its files."""

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from recon.imports.importing import take
from recon.journal import Journal, journal_path
from recon.lake import Lake
from recon.lake.schema import TABLES
from recon.pull import runner
from recon.records.requests import Operation, Outcome
from recon.settings import CashIn, Secret
from tests.pull.provider_stub import ADDRESS, CANARY, WALLET, Stub, all_products

LIST = "/v3/business/teahouse/cash-in/deposits"
TRANSACTION = "POST /api/v3/transaction"
Row = dict[str, Any]


class Shop:
    """One business at the stub of a provider; its deposits have a list."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        cash_in = CashIn(
            base_url=ADDRESS,
            api_key=Secret(CANARY),
            wallet_iban=WALLET,
            deposit_list_path=LIST,
        )
        self.folder = folder
        self.settings = all_products(folder, cash_in=cash_in)
        self.lake = Lake(self.settings.lake_path)
        self.stub = Stub()
        self.entries: list[Row] = []
        self.stub.lists(f"GET {LIST}", lambda: self.entries)
        self.stub.answers(
            TRANSACTION, {"status": 1, "amount": "5000", "transId": 7, "code": 1}
        )

    def pull(self, source: str, entries: Sequence[Row] = ()) -> runner.SourceOutcome:
        self.entries = list(entries)
        report = runner.pull(
            self.settings, self.lake, [source], transport=self.stub.transport
        )
        return report.sources[0]

    def take(self, kind: str, name: str, rows: Sequence[Mapping[str, Any]]) -> Path:
        path = self.folder / name
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, [*rows[0]])
            writer.writeheader()
            writer.writerows(rows)
        take(kind, [path], self.settings, self.lake)
        return path

    def rows(self, table: str) -> dict[Any, Row]:
        names = TABLES[table].columns.names
        found = self.lake.current(table, names).to_pylist()
        return {tuple(row[name] for name in TABLES[table].key): row for row in found}

    def journal(self, operation: Operation, subject: str, sent: Row, said: Row) -> None:
        with Journal(journal_path(self.settings)) as journal:
            number = journal.begin(operation, subject, sent)
            answer = json.dumps(said).encode()
            journal.end(number, Outcome.ANSWERED, status=200, answer=answer)


def told(number: int, **cells: Any) -> dict[str, Any]:
    """Return a line of a deposits file."""
    return {
        "track_id": f"t{number}",
        "gateway_transaction_id": number,
        "amount": 10_000,
        "amount_toman": 1_000,
        "wage": 0,
        "wage_toman": 0,
        "status": "DONE",
        "iban": WALLET,
        "receipt_url": "https://receipts.test/1",
        "requested_at": "2025-01-01T10:00:00Z",
        "settled_at": "",
        "requested_amount": "",
        **cells,
    }
