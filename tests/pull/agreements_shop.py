"""A business with a long list of agreements, its provider, and what it is delivered."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from recon.imports.delivered import event_hash, read_delivery, take_deliveries
from recon.journal import journal_path
from recon.journal.deliveries import Arrival, Deliveries
from recon.lake import Lake
from recon.pull.runner import PullReport, SourceOutcome, pull
from recon.reconcile.run import reconcile
from tests.pull.provider_stub import Stub, all_products
from tests.webhooks.receiver_cases import envelope

ROOT = "GET /escrow/api/v1/agreements"
NOW = datetime.now(UTC)
COUNT = 300  # twenty pages
AMOUNT = 5_000_000


def agreement(number: int) -> dict[str, Any]:
    """Return a finalized one; the higher its number, the newer, from 280 on of late."""
    made = NOW - timedelta(days=20 if number >= 280 else 50, seconds=-number)
    return {
        "tracking_code": f"T{number}",
        "trace_id": f"trade-{number}",
        "description": "a samovar",
        "parties": [],
        "items": [],
        "amount": AMOUNT,
        "state": "finalize",
        "created_at": made.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
    }


class AgreementsShop:
    """A business with a long list of agreements."""

    def __init__(self, folder: Path) -> None:
        self.settings = all_products(folder)
        self.lake = Lake(self.settings.lake_path)
        self.stub = Stub()
        self.agreements = [agreement(number) for number in range(COUNT, 0, -1)]
        self.stub.lists(ROOT, lambda: self.agreements)

    def becomes(self, number: int, **changes: Any) -> None:
        self.agreements[COUNT - number] |= changes

    def deliver(self, kind: str, **data: str) -> None:
        """Let an event arrive; the provider's clock is a minute ahead."""
        now = datetime.now(UTC)
        body = envelope(kind, int(now.timestamp()) + 60, **data)
        event = event_hash(read_delivery(body))
        with Deliveries(journal_path(self.settings)) as deliveries:
            deliveries.add([Arrival(event=event, received_at=now, body=body)])

    def pull(self) -> SourceOutcome:
        """Pull as a night does: what was delivered is taken first."""
        take_deliveries(self.settings, self.lake)
        return self.read().sources[0]

    def read(self) -> PullReport:
        self.stub.asked.clear()
        for row in self.agreements:
            path = f"{ROOT}/{row['tracking_code']}"
            self.stub.answers(path, {"message": "", "data": row})
        transport = self.stub.transport
        return pull(self.settings, self.lake, ["agreements"], transport=transport)

    @property
    def reread(self) -> list[str]:
        asked = (each for each in self.stub.asked if each.startswith(f"{ROOT}/"))
        return sorted(each.rpartition("/")[2] for each in asked)

    def breaks(self) -> dict[str, str]:
        with reconcile(self.lake, self.settings) as result:
            found = result.breaks.to_pylist()
        return {each["record_id"]: each["check"] for each in found}
