"""KIND events: webhook envelopes of the escrow service, one JSON object a line.

Source: contract, document 1, Events. Equal `created`, `type` and `data` are one event,
so `data` is stored with its keys sorted: equal objects are equal texts.
"""

from collections.abc import Iterator
from typing import Any, BinaryIO

import msgspec

from recon.imports.columns import amount, instant, text
from recon.imports.formats.rows import Cell, Refusal, Row, Sheet
from recon.imports.formats.text_lines import lines
from recon.imports.tables import Kind

FROM_DATA = ("tracking_code", "trace_id", "amount", "state")
"""The columns that an event's data fill, where these have them."""
_NAMES = ("created", "type", "data", *FROM_DATA)


class Envelope(msgspec.Struct, frozen=True):
    """A delivery's body; further fields are ignored (they stay in the stored page)."""

    created: int | str
    type: str
    data: dict[str, Any]


def canonical(data: dict[str, Any]) -> str:
    """Return event data as JSON with sorted keys, as the table `events` holds it."""
    return msgspec.json.encode(data, order="sorted").decode()


def read(file: BinaryIO) -> Sheet:
    """Read envelopes; Refusal names the line that is none."""
    return Sheet(None, _rows(file))


def _rows(file: BinaryIO) -> Iterator[Row]:
    decoder = msgspec.json.Decoder(Envelope)
    for number, line in lines(file):
        try:
            envelope = decoder.decode(line)
            data = canonical(envelope.data)
        except (msgspec.MsgspecError, RecursionError) as error:
            raise Refusal(f"is not an envelope: {error}", line=number) from None
        known = [_member(envelope.data, name, number) for name in FROM_DATA]
        cells = [str(envelope.created), envelope.type, data, *known]
        yield Row(number, _NAMES, cells)


def _member(data: dict[str, Any], name: str, number: int) -> Cell:
    value = data.get(name)
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise Refusal("is neither a text nor a whole number", line=number, column=name)
    return str(value)


KIND = Kind(
    name="events",
    table="events",
    columns=(
        instant("created"),
        text("type"),
        text("data"),
        text("tracking_code", filled=False),
        text("trace_id", filled=False),
        amount("amount", filled=False),
        text("state", filled=False),
    ),
    fixed=(("origin", "import"),),
    readers={"json_lines": read},
)
