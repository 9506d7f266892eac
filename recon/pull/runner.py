"""Pulling: which sources, in which order, and how each of them ended.

A source is one commit of the lake: it is visible whole or not at all. A source that
fails commits what it got, marked incomplete, and never stops the others.
"""

import asyncio
import gc
import logging
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any, TypeVar

import httpx

from recon import log
from recon.api.blocking import BackgroundLoop
from recon.api.client import Client
from recon.api.credentials import Product
from recon.api.proofs import in_words
from recon.api.redaction import Redaction
from recon.errors import ExitCode, ProviderError, SettingsError, UsageError
from recon.lake import Commit, Lake
from recon.pull import (
    accounts,
    agreements,
    balances,
    checkouts,
    customers,
    deposits,
    gateway_transactions,
    hosted_checkouts,
    mandates,
    origin,
    payment_methods,
    webhooks,
)
from recon.pull.keeping import Counts, Keeper
from recon.pull.pulling import Found, Progress, Pulling, Source, Tick, base
from recon.settings import Settings
from recon.times import format_instant

__all__ = ["ORDER", "PlannedSource", "Progress", "PullReport", "Tick", "plan", "pull"]

Value = TypeVar("Value")

_OBJECTS_A_COLLECTION = 50_000

ORDER: tuple[Source, ...] = (
    accounts,
    balances,
    deposits,
    checkouts,
    mandates,
    payment_methods,
    gateway_transactions,
    hosted_checkouts,
    agreements,
    customers,
    webhooks,
)
"""The balance comes before all that moves it, so that whatever it holds is read after
it; mandates come after the payments that name them."""

_BY_NAME = {source.NAME: source for source in ORDER}


@dataclass(frozen=True)
class SourceOutcome:
    """How one source ended: `complete`, `partial`, `incomplete` or `skipped`.

    `error` says why it is incomplete or skipped; `pull_id` is its commit's.
    """

    source: str
    status: str
    counts: Counts = field(default_factory=Counts)
    error: str | None = None
    pull_id: str | None = None
    certificate: dict[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {
            "source": self.source,
            "status": self.status,
            **asdict(self.counts),
            "error": self.error,
            "proof": in_words(self.certificate),
            "certificate": self.certificate,
        }


@dataclass(frozen=True)
class PullReport:
    """How every source ended, in the order they were pulled."""

    sources: tuple[SourceOutcome, ...]

    @property
    def complete(self) -> bool:
        """Tell whether no source failed; one that was skipped or partial did not."""
        return all(each.status != "incomplete" for each in self.sources)

    @property
    def exit_code(self) -> ExitCode:
        """Return 0, or 3 if a source is incomplete."""
        return ExitCode.CLEAN if self.complete else ExitCode.INCOMPLETE

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON values."""
        sources = {each.source: each.as_dict() for each in self.sources}
        return {"complete": self.complete, "sources": sources}


@dataclass(frozen=True)
class PlannedSource:
    """What a pull would do with a source: read it `whole` or in `part`, or `skip` it.

    What is in part is read whole after all where that is no dearer, or where the part
    cannot be proven.
    """

    source: str
    action: str
    reason: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return asdict(self)


def plan(
    settings: Settings,
    lake: Lake,
    sources: Sequence[str] = (),
    *,
    full: bool = False,
) -> list[PlannedSource]:
    """Say what a pull would do with each source; asks nobody, writes nothing."""
    planned = []
    for source in _chosen(sources):
        reason = _skipped(source, settings)
        last = None if reason or full else base(settings, lake, source.NAME)
        action = "skip" if reason else "whole"
        if last is not None and last.certificate.get("order"):
            action = "part"
            reason = f"read whole at {format_instant(last.committed_at)}"
        planned.append(PlannedSource(source.NAME, action, reason))
    return planned


def pull(
    settings: Settings,
    lake: Lake,
    sources: Sequence[str] = (),
    *,
    full: bool = False,
    moved: bool = False,
    progress: Progress | None = None,
    transport: httpx.AsyncBaseTransport | None = None,
) -> PullReport:
    """Fetch sources into the lake; all that the settings name, if none is given.

    The caller holds the lake's run lock. `moved` says that the provider or the business
    is the one whose records the lake has, by whatever address and name. `transport`
    replaces the default one for every product. Raises UsageError on an unknown source,
    SettingsError on a product with an address but no credential and, unless `moved`, on
    another provider's or business's, LakeError if the lake cannot be written.
    """
    refuse_strangers(settings, lake, sources, moved=moved)
    left = origin.others(settings, lake, _asked(settings, sources))
    run = _Run(settings, lake, full, progress or _ignore, transport, left)
    return _blocking(run.pull(_chosen(sources)))


def strangers(
    settings: Settings, lake: Lake, sources: Sequence[str] = ()
) -> Iterator[str]:
    """Say of which sources the lake has records of another provider or business."""
    return origin.strangers(settings, lake, _asked(settings, sources))


def refuse_strangers(
    settings: Settings,
    lake: Lake,
    sources: Sequence[str] = (),
    *,
    moved: bool = False,
) -> None:
    """Refuse records of another provider or business than the lake's: SettingsError.

    Not where they are said to have `moved`. Raises UsageError on an unknown source.
    """
    told = next(strangers(settings, lake, sources), None)
    if told and not moved:
        raise SettingsError(f"{told}; {origin.REMEDY}")


class _Run:
    """One pull of some sources; a product's client is opened once."""

    def __init__(
        self,
        settings: Settings,
        lake: Lake,
        full: bool,
        progress: Progress,
        transport: httpx.AsyncBaseTransport | None,
        left: Mapping[str, Commit],
    ) -> None:
        self._settings = settings
        self._lake = lake
        self._full = full
        self._progress = progress
        self._transport = transport
        self._left = left
        self._clients: dict[str, Client] = {}
        self._redaction = Redaction.of(settings)

    async def pull(self, sources: Sequence[Source]) -> PullReport:
        async with AsyncExitStack() as stack:
            stack.enter_context(_rare_collections())
            for source in sources:
                if _skipped(source, self._settings) is None:
                    await self._open(source.SECTION, stack)
            outcomes = [await self._logged(source) for source in sources]
        return PullReport(tuple(outcomes))

    async def _open(self, section: str, stack: AsyncExitStack) -> None:
        """Open a product's client, before anything is asked: keys may be missing."""
        product: Product | None = getattr(self._settings, section)
        if product is not None and section not in self._clients:
            client = Client(
                product,
                self._settings.http,
                limits=self._settings.limits,
                transport=self._transport,
                redaction=self._redaction,
            )
            self._clients[section] = await stack.enter_async_context(client)

    async def _logged(self, source: Source) -> SourceOutcome:
        with log.timed("pull.source", source=source.NAME) as told:
            outcome = await self._source(source)
            told |= {"status": outcome.status, **asdict(outcome.counts)}
        if outcome.status == "incomplete":
            log.note("pull.incomplete", logging.WARNING, source=source.NAME)
        return outcome

    async def _source(self, source: Source) -> SourceOutcome:
        reason = _skipped(source, self._settings)
        if reason is not None:
            self._progress(Tick(source.NAME, "skipped", reason=reason))
            return SourceOutcome(source.NAME, "skipped", error=reason)
        client = self._clients[source.SECTION]
        retries_before = client.retry_count
        with self._lake.begin("pull", source.NAME) as writing:
            keeper = Keeper(self._lake, writing, source.TABLE)

            def report(pages_total: int | None, status: str = "running") -> None:
                retries = client.retry_count - retries_before
                counts = keeper.counts
                tick = Tick(
                    source.NAME,
                    status,
                    counts.pages,
                    pages_total,
                    keeper.record_count,
                    retries,
                )
                self._progress(tick)

            client.capture_with(keeper.capture)
            pulling = Pulling(
                source.NAME,
                self._settings,
                self._lake,
                client,
                keeper,
                report,
                self._full,
                writing.id,
            )
            report(None)
            longest = self._settings.limits.source_time
            try:
                async with asyncio.timeout(longest.total_seconds()) as allowed:
                    found = await source.fetch(pulling)
            except ProviderError as error:
                found = Found(complete=False, error=_line(error))
            except TimeoutError:
                if not allowed.expired():  # a disk's or a lock's, not the source's
                    raise
                told = f"it took longer than limits.source_time ({longest})"
                found = Found(complete=False, error=told)
            finally:
                client.capture_with(None)
                for ended in pulling.at_end:
                    ended()
            keeper.settle()
            certificate = self._certificate(source, found)
            if keeper.unfamiliar:
                certificate["unfamiliar"] = keeper.notes()
            if client.retry_count > retries_before:
                certificate["retries"] = client.retry_count - retries_before
            commit = writing.commit(
                complete=found.complete,
                whole=found.whole,
                error=None if found.complete else found.error,
                counts=asdict(keeper.counts),
                certificate=certificate,
            )
        for ended in pulling.after_commit:
            ended()
        status = _status(found)
        report(keeper.counts.pages, status)
        return SourceOutcome(
            source.NAME, status, keeper.counts, commit.error, commit.id, certificate
        )

    def _certificate(self, source: Source, found: Found) -> dict[str, Any]:
        """Return what a source proved, with whom it asked, and whom it left by that."""
        asked = origin.origin_of(self._settings, source.SECTION)
        certificate = {**found.certificate, origin.ORIGIN: asked}
        if found.complete and source.NAME in self._left:
            before = self._left[source.NAME].certificate
            certificate[origin.MOVED_FROM] = before[origin.ORIGIN]
        return certificate


@contextmanager
def _rare_collections() -> Iterator[None]:
    """Look for unreachable cycles rarely: a pull makes millions of objects and none.

    What was there before is left out of each look; both are undone at the end.
    """
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(_OBJECTS_A_COLLECTION, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


def _status(found: Found) -> str:
    if not found.complete:
        return "incomplete"
    return "complete" if found.whole else "partial"


def _chosen(names: Sequence[str]) -> list[Source]:
    unknown = [name for name in names if name not in _BY_NAME]
    if unknown:
        known = ", ".join(_BY_NAME)
        raise UsageError(f"{unknown[0]!r} is not a source: {known}")
    return [source for source in ORDER if not names or source.NAME in names]


def _asked(settings: Settings, names: Sequence[str]) -> list[Source]:
    """Return the sources of these names that are not skipped."""
    return [each for each in _chosen(names) if _skipped(each, settings) is None]


def _skipped(source: Source, settings: Settings) -> str | None:
    """Say why a source is skipped; None if it is not."""
    section = source.SECTION
    product: Product | None = getattr(settings, section)
    if product is None:
        return f"there is no section [{section}]"
    if not product.base_url:
        return f"{section}.base_url is not set"
    reason = getattr(source, "skipped", None)
    return None if reason is None else reason(settings)


def _line(error: ProviderError) -> str:
    return " ".join(str(error).split())


def _ignore(_: Tick) -> None:
    pass


def _blocking(work: Coroutine[Any, Any, Value]) -> Value:
    """Run to the end; beside the running loop where there is one (notebooks)."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    loop = BackgroundLoop()
    try:
        return loop.run(work)
    finally:
        loop.close()
