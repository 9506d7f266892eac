"""A walk of a list from its first page to its proof."""

import asyncio
from collections.abc import Iterable
from typing import Any

from recon.api.client import Client
from recon.api.paging import ListPage, Walk
from recon.api.proofs import Certificate
from recon.api.unified import UnifiedReads
from recon.records.unified import Mandate
from tests.api.list_server import (
    BUSINESS,
    ListServer,
    mandate,
    unified_settings,
)


class Walked:
    """A walk's end: its certificate, its proven ids, every row it handed on."""

    def __init__(self, server: ListServer, **changes: Any) -> None:
        self.taken: set[str] = set()
        self.certificate, self.ids = asyncio.run(self._walk(server, changes))

    async def _walk(
        self, server: ListServer, changes: dict[str, Any]
    ) -> tuple[Certificate, set[str]]:
        chosen = unified_settings(**changes)
        assert chosen.unified is not None
        async with Client(
            chosen.unified, chosen.http, transport=server.transport
        ) as client:
            reads = UnifiedReads(client, chosen.unified, BUSINESS)
            walk: Walk[Mandate] = Walk(
                reads.mandates,
                lambda row: row.id,
                self._take,
                concurrency=client.concurrency,
            )
            return await walk.run(), walk.ids

    def _take(self, page: ListPage[Mandate]) -> None:
        self.taken.update(row.id for row in page.rows)


def ids(rows: Iterable[dict[str, Any]]) -> set[str]:
    return {row["id"] for row in rows}


def hundred() -> ListServer:
    return ListServer(mandate(number) for number in range(100, 0, -1))
