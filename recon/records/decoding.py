"""From bytes to records: strict about types, forgiving about what is new.

A field that no record knows is left out and counted; it is still in the stored page.
"""

from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

import msgspec
from msgspec import inspect
from msgspec.structs import force_setattr

from recon.records import scalars

Value = TypeVar("Value")

if TYPE_CHECKING:
    Rials = int
    Code = str
    Instant = datetime
else:
    # What stands on the wire; `Record` turns it into the type above as it is read.
    Rials = int | str
    Code = str | int
    Instant = int | str


def instant(value: Any) -> datetime:
    """Read Unix seconds (a number or its digits) or ISO 8601 with a zone, as UTC.

    ISO 8601 without a zone is taken as UTC. Unknown: that a time without a zone is
    UTC; the contract's ISO times are said to be.
    """
    try:
        if type(value) is int:
            return datetime.fromtimestamp(value, UTC)
        if value.isascii() and value.isdigit():
            return datetime.fromtimestamp(int(value), UTC)
        moment = datetime.fromisoformat(value)
    except (ValueError, OverflowError, OSError):
        raise ValueError("not a time") from None
    if moment.tzinfo is None:
        return moment.replace(tzinfo=UTC)
    return moment.astimezone(UTC)


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A record of the provider, read as it is built.

    `RIALS`, `CODES` and `INSTANTS` name the fields that come in several shapes: an
    amount as integer or digits, an identifier as text or number, a time as Unix
    seconds or ISO 8601.
    """

    RIALS: ClassVar[tuple[str, ...]] = ()
    CODES: ClassVar[tuple[str, ...]] = ()
    INSTANTS: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        for name in self.RIALS:
            value = getattr(self, name)
            if value is not None:
                force_setattr(self, name, scalars.amount(value))
        for name in self.CODES:
            value = getattr(self, name)
            if type(value) is int:
                force_setattr(self, name, str(value))
        for name in self.INSTANTS:
            value = getattr(self, name)
            if value is not None and not isinstance(value, datetime):
                force_setattr(self, name, instant(value))


@dataclass(frozen=True)
class Decoded(Generic[Value]):
    """A decoded body and how often it held each unknown field (`Record.field`)."""

    value: Value
    unknown: Counter[str] = field(default_factory=Counter)


class Shape(Generic[Value]):
    """The shape of a body. Calling it decodes one, or raises msgspec.DecodeError."""

    def __init__(self, shape: Any) -> None:
        self._shape = shape
        self._decoder: msgspec.json.Decoder[Value] = msgspec.json.Decoder(shape)
        self._info = inspect.type_info(shape)

    def __call__(self, body: bytes) -> Decoded[Value]:
        """Decode a body; a second, slower way counts what is unknown, where it is."""
        try:
            return Decoded(self._decoder.decode(body))
        except msgspec.ValidationError as error:
            if "unknown field" not in str(error):
                raise
        unknown: Counter[str] = Counter()
        known = _known(msgspec.json.decode(body), self._info, unknown)
        return Decoded(msgspec.convert(known, self._shape), unknown)


def _known(value: Any, info: inspect.Type, unknown: Counter[str]) -> Any:
    """Return the value without the fields that its type does not have."""
    if isinstance(info, inspect.UnionType):
        kinds = inspect.StructType if isinstance(value, dict) else inspect.VarTupleType
        inner = next((kind for kind in info.types if isinstance(kind, kinds)), None)
        return value if inner is None else _known(value, inner, unknown)
    if isinstance(info, inspect.VarTupleType) and isinstance(value, list):
        return [_known(each, info.item_type, unknown) for each in value]
    if isinstance(info, inspect.StructType) and isinstance(value, dict):
        fields = {item.encode_name: item.type for item in info.fields}
        record = info.cls
        if isinstance(record, type) and issubclass(record, Record):
            unknown.update(
                f"{record.__name__}.{name}" for name in value if name not in fields
            )
        return {
            name: _known(each, fields[name], unknown)
            for name, each in value.items()
            if name in fields
        }
    return value
