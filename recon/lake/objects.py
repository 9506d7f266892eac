"""Requests to an object store, with their repetition, and errors without secrets.

The store's own error texts are not passed on: they may hold an access key's id or a
signed request. What is told is the place, the store's error code and the status.
"""

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import obstore
from obstore import exceptions
from obstore.store import S3Store

from recon.errors import LakeError
from recon.lake.addresses import Address
from recon.settings import LakeSettings

_TRIES = 4
_LIBRARY_TRIES = 3  # further ones, of requests that may be repeated
_FIRST_WAIT_SECONDS = 0.2
_WHOLE_SECONDS = 120.0  # after which no request that broke off is made again
_PART_BYTES = 16 * 2**20
_CODE = re.compile(r"<Code>([A-Za-z]{1,60})</Code>")
_STATUS = re.compile(r"non-2xx status code: (\d{3})")
_CUT = re.compile(r"(?!.*Error performing).*\bbody\b")
"""Said of an answer that broke off; those that did not begin the library repeated."""
_SLOW = "RequestTimeout"
"""The code of a request that did not come whole; with it comes 400, as if for good."""
_Given = TypeVar("_Given")


class Seen(NamedTuple):
    """An object as one answer showed it; `at` is when it was written."""

    content: bytes
    tag: str
    at: datetime


class Objects:
    """The objects below a prefix; `name` is relative to it."""

    def __init__(self, address: Address, given: LakeSettings) -> None:
        self.place = str(address)
        options: dict[str, Any] = {}
        if given.endpoint:
            options["endpoint"] = given.endpoint
        if given.region:
            options["region"] = given.region
        if given.access_key_id:
            options["access_key_id"] = given.access_key_id.reveal()
            options["secret_access_key"] = given.secret_access_key.reveal()
        try:
            self._store = S3Store(
                address.bucket,
                prefix=address.prefix or None,
                client_options={
                    "allow_http": given.endpoint.startswith("http://"),
                    "connect_timeout": timedelta(seconds=10),
                    "timeout": timedelta(seconds=60),
                },
                retry_config={
                    "max_retries": _LIBRARY_TRIES,
                    "retry_timeout": timedelta(seconds=120),
                },
                **options,
            )
        except exceptions.BaseError:
            raise LakeError(
                f"{self.place}: the settings of this bucket are not understood"
            ) from None

    def get(self, name: str) -> bytes:
        """Return an object; FileNotFoundError if there is none."""
        return self._whole(name, lambda: bytes(obstore.get(self._store, name).bytes()))

    def stream(self, name: str) -> Iterator[bytes]:
        """Yield an object's bytes; FileNotFoundError if there is none.

        A large one comes in parts, each with a time-out of its own: objects do not
        change, so the parts belong together.
        """

        def small() -> tuple[int, bytes]:
            found = obstore.get(self._store, name)
            size = found.meta["size"]
            return size, bytes(found.bytes()) if size <= _PART_BYTES else b""

        size, content = self._whole(name, small)
        if size <= _PART_BYTES:
            yield content
            return
        for start in range(0, size, _PART_BYTES):
            yield self._part(name, start, min(size, start + _PART_BYTES))

    def _part(self, name: str, start: int, end: int) -> bytes:
        return self._whole(
            name,
            lambda: bytes(obstore.get_range(self._store, name, start=start, end=end)),
        )

    def look(self, name: str) -> Seen:
        """Return an object with its tag and time; FileNotFoundError if none."""

        def seen() -> Seen:
            found = obstore.get(self._store, name)
            meta = found.meta
            content = bytes(found.bytes())
            return Seen(content, meta["e_tag"] or "", meta["last_modified"])

        return self._whole(name, seen)

    def list(self, prefix: str) -> Iterator[Any]:
        """Yield what a list shows of the objects below a prefix."""
        found = self._whole(prefix, lambda: [*obstore.list(self._store, prefix)])
        for some in found:
            yield from some

    def _whole(self, name: str, ask: Callable[[], _Given]) -> _Given:
        """Return what a request gives; one that breaks off half way is made again."""
        began, wait = time.monotonic(), _FIRST_WAIT_SECONDS
        for left in reversed(range(_TRIES)):
            try:
                with self._told(name):
                    return ask()
            except _BrokenOff:
                if not left or time.monotonic() - began > _WHOLE_SECONDS:
                    raise
            time.sleep(wait)
            wait *= 2
        raise AssertionError

    def put(self, name: str, content: bytes | Path) -> None:
        """Write an object, in place of an earlier one."""
        self._whole(
            name,
            lambda: obstore.put(self._store, name, content, chunk_size=_PART_BYTES),
        )

    def remove(self, name: str) -> None:
        """Remove an object; nothing happens if there is none."""
        with self._told(name):
            try:
                obstore.delete(self._store, name)
            except FileNotFoundError:
                return

    def create(self, name: str, content: bytes) -> bool:
        """Create an object unless there is one; False if there is another.

        A cut or doubtful answer leaves open whether it was created, and a repetition
        is refused by what the first try made. So the object itself decides: it is
        ours if it holds our bytes, which hold an id of their own. It is tried again
        where nothing is there: requests that came at once hindered each other.
        """
        return self._condition(name, content, "create")

    def replace(self, name: str, content: bytes, tag: str) -> bool:
        """Replace the object of that tag; False if it is another by now."""
        return self._condition(name, content, {"e_tag": tag})

    def _condition(self, name: str, content: bytes, mode: Any) -> bool:
        wait = _FIRST_WAIT_SECONDS
        for attempt in range(_TRIES):
            if attempt:
                time.sleep(wait)
                wait *= 2
            try:
                with self._told(name):
                    obstore.put(self._store, name, content, mode=mode)
            except (_Refused, FileNotFoundError):
                found = self._found(name)
                if found is not None or mode != "create" or attempt == _TRIES - 1:
                    return found == content
            except _Failed as error:
                failure = error
                if not error.passing:
                    raise
                with_doubt = self._seen(name)
                if with_doubt == content:
                    return True
                if with_doubt is not None and mode == "create":
                    return False
            else:
                return True
        raise LakeError(
            f"{failure}; nobody knows yet whether {name} was written"
        ) from None

    def _found(self, name: str) -> bytes | None:
        """Return an object's bytes; None where there is none."""
        with suppress(FileNotFoundError):
            return self.get(name)
        return None

    def _seen(self, name: str) -> bytes | None:
        """Return an object's bytes; None where there is none, or no answer."""
        with suppress(LakeError):
            return self._found(name)
        return None

    @contextmanager
    def _told(self, name: str) -> Iterator[None]:
        """Turn what the library raises into one clear line."""
        try:
            yield
        except (exceptions.AlreadyExistsError, exceptions.PreconditionError):
            raise _Refused(f"{self.place}/{name} is another by now") from None
        except FileNotFoundError as error:
            if "NoSuchBucket" in str(error):
                raise LakeError(f"{self.place}: there is no such bucket") from None
            raise FileNotFoundError(f"{self.place}/{name} is not there") from None
        except exceptions.BaseError as error:
            raise self._failed(error) from None

    def _failed(self, error: Exception) -> "_Failed":
        text = str(error)
        code, status = _CODE.search(text), _STATUS.search(text)
        if code and code[1] == "NoSuchBucket":
            return _Failed(f"{self.place}: there is no such bucket")
        refused = isinstance(
            error,
            (exceptions.PermissionDeniedError, exceptions.UnauthenticatedError),
        ) or (status and status[1] in {"401", "403"})
        if not refused and status is None and _CUT.match(text):
            return _BrokenOff(f"{self.place}: its answers break off half way")
        if code and code[1] == _SLOW:
            return _BrokenOff(f"{self.place}: requests break off half way ({_SLOW})")
        silent = "it does not answer" if status is None else "it fails"
        told = "it refuses these credentials" if refused else silent
        detail = " ".join(found[1] for found in (code, status) if found)
        failed = _Failed(f"{self.place}: {told}{f' ({detail})' if detail else ''}")
        server_error = 500
        failed.passing = status is None or int(status[1]) >= server_error
        return failed


class _Refused(LakeError):  # noqa: N818 - the store's condition did not hold
    """A conditional request met another state than it named."""


class _Failed(LakeError):  # noqa: N818 - as above
    """The store failed or stayed silent; `passing` if it may do better soon."""

    passing = False


class _BrokenOff(_Failed):
    """A request, or its answer, began and was not whole."""

    passing = True
