"""A small invented business with its settings, its files and a provider in process."""

import dataclasses
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from types import MappingProxyType
from typing import Any

import httpx

from recon import demo, setting_files
from recon.imports.importing import take
from recon.imports.kinds import KINDS
from recon.lake import Lake
from recon.pull.runner import PullReport, pull
from recon.sandbox import exports, history
from recon.sandbox.app import Credentials, create_app
from recon.sandbox.history import History
from recon.settings import Settings
from tests.campaign.virtual_time import virtual_time

UNTIL = date(2025, 10, 31)
PERIOD = "2025-10-29..2025-10-31"
ADDRESS = "http://127.0.0.1:9"  # nothing is ever sent there: transports answer


# httpx looks for this module at each request in process; that takes longer than the
# request where it is not installed, unless it is known to be missing.
sys.modules.setdefault("sniffio", None)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Shop:
    """A business in a folder; `settings.folder` is that folder."""

    made: History
    settings: Settings

    @property
    def folder(self) -> Path:
        """Return the folder of `recon.toml`."""
        return self.settings.folder

    @property
    def root(self) -> Path:
        """Return the lake's folder."""
        return Path(self.settings.lake_path)

    def lake(self) -> Lake:
        """Open the lake anew: nothing is remembered from before."""
        return Lake(self.settings.lake_path)

    def at(self, folder: Path) -> "Shop":
        """Return the same business in a copy of its folder."""
        moved = dataclasses.replace(self.settings, folder=folder.resolve())
        return dataclasses.replace(self, settings=moved)

    def files(self) -> dict[str, Path]:
        """Return the files of imports by kind."""
        folder = self.folder / "imports"
        return {
            kind: path
            for kind in KINDS
            for path in [
                folder / (f"{kind}.csv" if kind != "events" else "events.jsonl")
            ]
        }

    def take_files(self, kinds: Sequence[str] = ()) -> None:
        """Import the business's files."""
        for kind, path in self.files().items():
            if not kinds or kind in kinds:
                take(kind, [path], self.settings, self.lake())

    def pull(
        self, transport: httpx.AsyncBaseTransport | None = None, **how: Any
    ) -> PullReport:
        """Pull in virtual time, from the world in process unless told otherwise."""
        with virtual_time():
            return pull(
                self.settings,
                self.lake(),
                transport=transport or self.provider(),
                **how,
            )

    def provider(self) -> httpx.AsyncBaseTransport:
        """Return a provider of this world, without any fault."""
        return httpx.ASGITransport(app=create_app(self.made.world, Credentials()))


def opened(
    folder: Path,
    seed: int = 3,
    *,
    days: int = 4,
    daily: int = 8,
    faults: Sequence[str] = (),
    variables: Mapping[str, str] = MappingProxyType({}),
) -> Shop:
    """Make a business of a few days in a new folder.

    `variables` are settings as the environment gives them.
    """
    made = history.generate(seed, until=UNTIL, days=days, daily=daily, faults=faults)
    folder.mkdir(parents=True)
    file = folder / "recon.toml"
    text = demo.settings_text(made.world, ADDRESS)
    file.write_text(text, encoding="utf-8")
    exports.write(made, folder / "imports")
    return Shop(made, setting_files.load(file, {**demo.keys(), **variables}))
