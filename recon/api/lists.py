"""Asking for one page of a list, or for a list that comes whole."""

from collections.abc import Callable
from typing import Any, TypeVar

from recon.api.answers import Answer
from recon.api.client import Client
from recon.api.paging import ListPage
from recon.records.decoding import Decoded
from recon.records.lists import ListBody

Row = TypeVar("Row")


async def list_page(
    client: Client,
    path: str,
    number: int,
    shape: Callable[[bytes], Decoded[ListBody[Row]]],
    *,
    per_page: int | None = None,
    parameters: str = "query",
) -> ListPage[Row]:
    """Ask for page `number` of a list, by its number; links are never followed.

    `parameters` is `query` or `body`. Unknown: how the unified lists take theirs (the
    setting `unified.list_parameters`), and whether the escrow lists have a `per_page`
    (None is sent then).
    """
    asked: dict[str, Any] = {"page": number}
    if per_page is not None:
        asked["per_page"] = per_page
    answer: Answer[Decoded[ListBody[Row]]]
    if parameters == "body":
        answer = await client.read("GET", path, json=asked, decode=shape)
    else:
        answer = await client.read("GET", path, params=asked, decode=shape)
    body = answer.value.value
    return ListPage(
        number=number,
        rows=body.data,
        meta=body.meta,
        answer=answer,
        unknown=answer.value.unknown,
    )
