"""Rebuilding what a pull wrote from the pages that it received.

The pull is made once more: the same source, over the lake as it was then, asks its own
stored pages. Nothing of it counts unless its bytes are those that were committed,
which is for the caller to see: a file that the pull wrote otherwise (other settings,
another version, a journal that knows more since) is told as such.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import groupby
from pathlib import Path

from recon.api.answers import Answer
from recon.api.client import Client
from recon.api.credentials import Product
from recon.errors import ProviderError, ReconError
from recon.lake import Commit, Lake, Page, Writing
from recon.lake.commits import CommitLog, StoredFile
from recon.lake.health import Damage, Kind
from recon.lake.parts import DERIVED
from recon.lake.storage import Storage
from recon.lake.verifying import file_hash
from recon.pull.keeping import Keeper
from recon.pull.pulling import Pulling, Source
from recon.pull.replaying import KeptPages, OpenGate
from recon.pull.runner import ORDER
from recon.setting_values import Secret
from recon.settings import Escrow, Http, Settings

_KINDS = {Kind.RECORDS, Kind.SEEN}
_AT_ONCE = 64  # requests, where the settings of today do not lead there
_RETRIES = 20


def rebuild(
    settings: Settings, lake: Lake, damages: Sequence[Damage], folder: Path
) -> dict[str, str]:
    """Write what the damaged files of pulls held below `folder`, as a copy of the lake.

    A file is there under its own path if it is byte for byte what was committed.
    Returns why not of each other one that is rebuildable, by its path. Damages are
    taken in the order of their commits: a pull is built on those before it. Changes
    nothing in the lake.
    """
    reasons: dict[str, str] = {}
    lost = [each for each in damages if is_rebuildable(lake, each)]
    for _, group in groupby(sorted(lost, key=_sequence), key=_sequence):
        of_commit = list(group)
        commit = of_commit[0].commit
        if commit is not None:
            wanted = {each.path: each.sha256 for each in of_commit}
            reasons |= _rebuilt(settings, lake, commit, wanted, folder)
    return reasons


def is_rebuildable(lake: Lake, damage: Damage) -> bool:
    """Tell whether pages may tell again what a damaged file held, if they are whole.

    An encrypted file has other bytes each time, so that nothing could be proven.
    """
    commit = damage.commit
    return (
        lake.key is None
        and damage.kind in _KINDS
        and bool(damage.sha256)
        and commit is not None
        and commit.kind == "pull"
        and any(file.folder == "pages" for file in commit.files)
    )


def _sequence(damage: Damage) -> int:
    return damage.commit.sequence if damage.commit else 0


def _rebuilt(
    settings: Settings,
    lake: Lake,
    commit: Commit,
    wanted: Mapping[str, str],
    folder: Path,
) -> dict[str, str]:
    """Rebuild the wanted files of one commit; returns why not, of each that is not."""
    source = next((each for each in ORDER if commit.source == each.NAME), None)
    product: Product | None = getattr(settings, source.SECTION) if source else None
    if source is None or product is None:
        told = f"the settings do not name the product of {commit.source} any more"
        return dict.fromkeys(wanted, told)
    missing = dict(wanted)
    told = "its rows come out otherwise, or are written otherwise by this version"
    for number, (http, full) in enumerate(_attempts(settings)):
        attempt = folder / f".{commit.id}.{number}"
        try:
            stored = asyncio.run(
                _pulled_again(
                    source,
                    product,
                    replace(settings, http=http),
                    _Past(lake, commit, folder, attempt),
                    full,
                )
            )
        except (ReconError, ValueError, OSError) as error:
            told = " ".join(str(error).split())
            continue
        for path in [path for path in missing if stored.get(path) == missing[path]]:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (attempt / path).rename(folder / path)
            del missing[path]
        if not missing:
            break
    return dict.fromkeys(missing, told)


def _attempts(settings: Settings) -> Iterator[tuple[Http, bool]]:
    """Yield how the pull may have been made, which is not recorded; and if `--full`."""
    usual = replace(settings.http, timeout=timedelta(days=1), rate_limit=None)
    other = replace(usual, concurrency=_AT_ONCE, retries=_RETRIES)
    for http in (usual, other):
        yield http, False
        yield http, True


async def _pulled_again(
    source: Source, product: Product, settings: Settings, past: "_Past", full: bool
) -> dict[str, str]:
    """Make a pull once more; returns the SHA-256 of each file that it wrote."""
    pages = KeptPages(past.pages_again())
    writing = past.begin_again()
    keeper = _KeeperAgain(past, writing, source.TABLE, pages)
    async with Client(
        _without_credential(product),
        settings.http,
        limits=settings.limits,
        transport=pages,
        capture=keeper.capture,
        sleep=_no_sleep,
        gate=OpenGate(),
    ) as client:
        pulling = Pulling(
            source.NAME, settings, past, client, keeper, _ignore, full, writing.id
        )
        with ExitStack() as undone:
            undone.enter_context(writing)
            with suppress(ProviderError):  # as the pull ended then
                await source.fetch(pulling)
            for ended in pulling.at_end:
                ended()
            keeper.settle()
            stored = writing.close()
            undone.pop_all()  # the files stay
    return {file.path: file.sha256 for file in stored}


def _without_credential(product: Product) -> Product:
    """Return a product that nobody can speak to: its pages answer any key."""
    nobody = Secret("none")
    if isinstance(product, Escrow):
        return replace(product, client_id=0, client_secret=nobody)
    return replace(product, api_key=nobody)


class _Past(Lake):
    """The lake as a pull found it; what is written goes to a folder of its own.

    A file that is damaged in the lake is read from `mended`, if it is there. What was
    compacted is read from the versions themselves: it holds nothing more.
    """

    def __init__(self, lake: Lake, commit: Commit, mended: Path, folder: Path) -> None:
        super().__init__(folder)
        self._lake = lake
        self._commit = commit
        self._mended = mended
        earlier = lake.commits()[: commit.sequence - 1]
        versions = [each for each in earlier if each.kind not in DERIVED]
        self._log = _Earlier(self.storage, versions)

    def clock(self) -> datetime:
        """Return when the pull began, by the clock of then."""
        return self._commit.started_at

    def pages_again(self) -> Iterator[Page]:
        """Yield the pull's pages in their order; CorruptLake where one is not whole."""
        for stored in self._commit.files:
            if stored.folder == "pages":
                yield from self._lake.pages(stored)

    def begin_again(self) -> Writing:
        """Return the commit in the making; it is never made visible."""
        return Writing.again(self.storage, self._log, self._commit)

    def file(self, stored: StoredFile) -> Path:
        """Return a file of an earlier commit, as it was committed."""
        mended = self._mended / stored.path
        if mended.is_file() and file_hash(mended) == stored.sha256:
            return mended
        return self._lake.file(stored)


class _Earlier(CommitLog):
    """The commits before one."""

    def __init__(self, storage: Storage, commits: Sequence[Commit]) -> None:
        super().__init__(storage)
        self._commits = list(commits)

    def all(self) -> list[Commit]:
        return self._commits


class _KeeperAgain(Keeper):
    """Keeps the rows of pages that are stored already."""

    def __init__(
        self, lake: Lake, writing: Writing, main: str, pages: KeptPages
    ) -> None:
        super().__init__(lake, writing, main)
        self._pages = pages

    def _stored(self, answer: Answer[None]) -> int:
        return self._pages.number_of(answer)


async def _no_sleep(_: float) -> None:
    await asyncio.sleep(0)


def _ignore(_: int | None) -> None:
    pass
