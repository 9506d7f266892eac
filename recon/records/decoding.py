"""From bytes to records: strict about types, forgiving about what is new.

A field that no record knows is left out and counted; it is still in the stored page.
"""

from collections import Counter
from collections.abc import Callable
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


_EPOCH = datetime.fromtimestamp(0, UTC)


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
        if moment.tzinfo is None:
            return moment.replace(tzinfo=UTC)
        return moment.astimezone(UTC)  # the first and the last day have none in UTC
    except (ValueError, OverflowError, OSError):
        raise ValueError("not a time") from None


class Strict(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A record whose unknown fields are counted by `Shape`."""


class Record(Strict, frozen=True):
    """A record of the provider, read as it is built.

    `RIALS`, `CEILINGS`, `CODES` and `INSTANTS` name the fields that come in several
    shapes: an amount or a limit as integer or digits, an identifier as text or number,
    a time as Unix seconds or ISO 8601. `EVENTS` are times of what may not have happened
    yet: 0 seconds are none there. Unknown: what stands there until it happens; the
    contract types `paid_at` as an integer also where nobody has paid.
    """

    RIALS: ClassVar[tuple[str, ...]] = ()
    CEILINGS: ClassVar[tuple[str, ...]] = ()
    CODES: ClassVar[tuple[str, ...]] = ()
    INSTANTS: ClassVar[tuple[str, ...]] = ()
    EVENTS: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        for name in self.RIALS:
            value = getattr(self, name)
            if type(value) is not int or value not in scalars.AMOUNTS:
                force_setattr(self, name, scalars.amount(value))
        for name in self.CEILINGS:
            ceiling = scalars.amount(getattr(self, name), scalars.CEILINGS)
            force_setattr(self, name, ceiling)
        for name in self.CODES:
            value = getattr(self, name)
            if type(value) is int:
                force_setattr(self, name, str(value))
        for name in self.INSTANTS:
            value = getattr(self, name)
            if value is not None and type(value) is not datetime:
                force_setattr(self, name, instant(value))
        for name in self.EVENTS:
            if getattr(self, name) == _EPOCH:
                force_setattr(self, name, None)


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
        self._prune = _pruner(inspect.type_info(shape))

    def __call__(self, body: bytes) -> Decoded[Value]:
        """Decode a body; a second, slower way counts what is unknown, where it is."""
        try:
            return Decoded(self._decoder.decode(body))
        except msgspec.ValidationError as error:
            if "unknown field" not in str(error):
                raise
        unknown: Counter[str] = Counter()
        known = msgspec.json.decode(body)
        if self._prune is not None:
            known = self._prune(known, unknown)
        return Decoded(msgspec.convert(known, self._shape), unknown)


_Prune = Callable[[Any, Counter[str]], Any]
"""Returns a value without the fields that its type does not have, and counts them."""


def _pruner(info: inspect.Type) -> _Prune | None:
    """Return what prunes values of a type; None where there is nothing to prune."""
    match info:
        case inspect.UnionType():
            return _union_pruner(info)
        case inspect.VarTupleType():
            return _tuple_pruner(_pruner(info.item_type))
        case inspect.StructType():
            return _struct_pruner(info)
        case _:
            return None


def _union_pruner(info: inspect.UnionType) -> _Prune | None:
    of_objects: _Prune | None = None
    of_lists: _Prune | None = None
    for kind in info.types:
        if isinstance(kind, inspect.StructType):
            of_objects = _pruner(kind)
        if isinstance(kind, inspect.VarTupleType):
            of_lists = _pruner(kind)

    def prune(value: Any, unknown: Counter[str]) -> Any:
        inner = of_objects if isinstance(value, dict) else of_lists
        return value if inner is None else inner(value, unknown)

    return prune if of_objects or of_lists else None


def _tuple_pruner(inner: _Prune | None) -> _Prune | None:
    def prune(value: Any, unknown: Counter[str]) -> Any:
        if inner is None or not isinstance(value, list):
            return value
        return [inner(each, unknown) for each in value]

    return prune if inner else None


def _struct_pruner(info: inspect.StructType) -> _Prune:
    record = info.cls
    # Envelopes say what they like; only records' fields are counted.
    counted = isinstance(record, type) and issubclass(record, Strict)
    names = frozenset(item.encode_name for item in info.fields)
    pruners = {item.encode_name: _pruner(item.type) for item in info.fields}
    inner = {name: prune for name, prune in pruners.items() if prune}

    def prune(value: Any, unknown: Counter[str]) -> Any:
        if not isinstance(value, dict):
            return value
        if not value.keys() <= names:
            if counted:
                strange = value.keys() - names
                unknown.update(f"{record.__name__}.{name}" for name in strange)
            value = {name: value[name] for name in value.keys() & names}
        for name, prune_field in inner.items():
            if name in value:
                value[name] = prune_field(value[name], unknown)
        return value

    return prune
