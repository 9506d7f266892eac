"""A business whose tokens and hosted checkouts are looked up one by one."""

from datetime import UTC, datetime
from typing import Any

from recon.lake import Lake
from recon.pull import runner
from recon.pull.runner import SourceOutcome
from recon.settings import Settings
from tests.pull.provider_stub import Stub

GATEWAY = "POST /api/v3/transaction"
LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)


class Shops:
    """A gateway and a hosted page that know some tokens."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.stub = Stub()
        self.codes: dict[str, int] = {}
        self.statuses: dict[str, str] = {}
        self.refusal: tuple[int, Any] = (
            422,
            {"status": 0, "errors": ["The token is invalid."]},
        )
        self.stub.endpoints[GATEWAY] = self._transaction

    def _transaction(self, _: dict[str, str], body: dict[str, Any]) -> tuple[int, Any]:
        token = body["token"]
        if token not in self.codes:
            return self.refusal
        return 200, {
            "status": 1,
            "amount": "5000",
            "transId": 77,
            "createdAt": "2026-01-01 10:00:00",
            "code": self.codes[token],
            "CID": "AB",
        }

    def host(self, checkout_id: str, status: str) -> None:
        record = {"id": checkout_id, "amount": "5000", "wage": "1", "status": status}
        endpoint = f"GET /pay-with/v1/checkouts/{checkout_id}"
        self.stub.answers(endpoint, {"message": "", "data": {"checkout": record}})

    def send(self, table: str, key: str, ids: list[str], at: datetime) -> None:
        lake = Lake(self.settings.lake_path)
        with lake.begin("import", table) as writing:
            sent = [{key: each, "amount": 5000, "sent_at": at} for each in ids]
            writing.rows(table, sent)
            writing.commit()

    def pull(self, source: str, **more: Any) -> SourceOutcome:
        self.stub.asked.clear()
        self.stub.bodies.clear()
        lake = Lake(self.settings.lake_path)
        report = runner.pull(
            self.settings, lake, [source], transport=self.stub.transport, **more
        )
        return report.sources[0]

    @property
    def asked_tokens(self) -> list[str]:
        return sorted(body["token"] for body in self.stub.bodies)

    def rows(self, table: str) -> dict[str, dict[str, Any]]:
        key = "token" if table.startswith("gateway") else "id"
        found = Lake(self.settings.lake_path).current(table).to_pylist()
        return {row[key]: row for row in found}
