"""What wraps a single record in an answer: `data`, and within it the record's name."""

from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from recon.records.decoding import Shape

Value = TypeVar("Value")


class _Data(msgspec.Struct):
    data: msgspec.Raw


def data(shape: Shape[Value]) -> Callable[[bytes], Value]:
    """Return the reader of the record that `data` is."""
    return lambda body: shape(bytes(_data(body).data)).value


def named(name: str, shape: Shape[Value]) -> Callable[[bytes], Value]:
    """Return the reader of `data.<name>`.

    A record that stands in `data` itself is read too: a change that was made is not
    to be called unknown for its wrapping.
    """

    def read(body: bytes) -> Value:
        inner = _data(body).data
        within = msgspec.json.decode(inner, type=dict[str, msgspec.Raw]).get(name)
        return shape(bytes(inner if within is None else within)).value

    return read


def about(
    wanted: str, key: Callable[[Value], str], read: Callable[[bytes], Value]
) -> Callable[[bytes], Value]:
    """Return a reader that takes the one record that was asked for, by its key.

    ValueError where an answer is about another one.
    """

    def read_it(body: bytes) -> Value:
        found = read(body)
        if key(found).casefold() != wanted.casefold():
            raise ValueError(f"it is about {key(found)}")
        return found

    return read_it


def field_of_data(name: str, kind: type[Value]) -> Callable[[bytes], Value]:
    """Return the reader of one plain field of `data`."""

    def read(body: bytes) -> Value:
        found = msgspec.json.decode(_data(body).data, type=dict[str, Any]).get(name)
        if type(found) is not kind:
            raise ValueError(f"data.{name} is missing or of another kind")
        return found

    return read


def message(body: bytes) -> str:
    """Read `message` of an answer that says by it alone that something was done.

    Raises ValueError without one, and where a code or an error stands beside it: that
    is how refusals look, whatever the status of the answer.
    """
    found: Any = msgspec.json.decode(body)
    if not isinstance(found, dict) or not isinstance(found.get("message"), str):
        raise ValueError("message is missing")  # noqa: TRY004 - one kind for bad JSON
    if any(found.get(name) for name in ("code", "error", "errors")):
        raise ValueError("a code or an error stands beside the message")
    return str(found["message"])


def _data(body: bytes) -> _Data:
    return msgspec.json.decode(body, type=_Data)
