"""The demo: an invented business, two nights over real HTTP, and what they found.

Called by `recon demo`. The sandbox plants faults and says which; the demo is judged
by finding every one of them and nothing else.
"""

import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from recon import nightly, setting_files, workspace
from recon.errors import ExitCode, UsageError
from recon.imports.importing import take
from recon.imports.kinds import KINDS
from recon.lake import Lake
from recon.pull.runner import Progress
from recon.sandbox import exports, history
from recon.sandbox.app import Credentials
from recon.sandbox.history import History, Planted
from recon.sandbox.server import serve
from recon.sandbox.world import World
from recon.settings import Settings

MARKER = ".recon-demo"
_MADE = ("data", "imports", "notebooks", "schedule", "recon.toml")
Key = tuple[str, str, str]
"""A break by its product, check and record_id: what its break_id is made of."""

_SETTINGS = """\
# The settings of the demo: an invented business at the sandbox.
# To ask the provider again: `recon sandbox --port {port}`, and give the keys as
# RECON_<SECTION>__API_KEY; `recon sandbox` prints them.

[business]
name = "{business}"
timezone = "Asia/Tehran"

[unified]
base_url = "{base_url}"
page_url = "{base_url}"

[escrow]
base_url = "{base_url}"
client_id = {client_id}

[cash_in]
base_url = "{base_url}"
wallet_iban = "{wallet_iban}"
settled_statuses = ["SETTLED"]
deposit_list_path = "/v3/business/{business}/cash-in/deposits"

[gateway]
base_url = "{base_url}"

[hosted]
base_url = "{base_url}"
page_url = "{base_url}"

[checks]
provider_names = ["{provider_name}"]
"""


@dataclass(frozen=True)
class Finding:
    """One check: how many breaks were planted, found, and reported besides."""

    product: str
    check: str
    planted: int
    found: int
    besides: int


@dataclass(frozen=True)
class DemoOutcome:
    """What the demo ended with; `unexplained` in rials, of the last night."""

    folder: Path
    findings: list[Finding]
    night: nightly.Night
    nights: int
    codes: list[ExitCode] = field(default_factory=list)

    @property
    def exact(self) -> bool:
        """Tell whether every planted break was found and nothing besides."""
        return all(
            each.found == each.planted and not each.besides for each in self.findings
        )

    @property
    def exit_code(self) -> ExitCode:
        """Return 0 when the nights ended with 0 or 1 and found what was planted."""
        nights_ended = {ExitCode.CLEAN, ExitCode.BREAKS_OPEN}
        if set(self.codes) <= nights_ended and self.exact:
            return ExitCode.CLEAN
        return ExitCode.INCOMPLETE


def run(
    folder: Path,
    *,
    seed: int,
    faults: Sequence[str] = ("all",),
    days: int = 61,
    daily: int = 120,
    progress: Progress | None = None,
) -> DemoOutcome:
    """Make a history, run two nights on it and compare them with what was planted.

    `days` is the history's length, `daily` its mean number of checkouts a day. The
    folder is made anew; UsageError if something else is in it.
    """
    _clear(folder)
    made = history.generate(seed, days=days, daily=daily, faults=faults)
    with serve(made.world, Credentials()) as running:
        settings = _prepare(folder, made, running.base_url)
        lake = Lake.of(settings)
        _import(made, folder / "imports", settings, lake)
        first = nightly.run(settings, lake, progress=progress)
        planted = [*made.planted, *made.second_night()]
        second = nightly.run(settings, lake, full=True, progress=progress)
    return DemoOutcome(
        folder=folder,
        findings=compare(planted, _open_breaks(second)),
        night=second,
        nights=2,
        codes=[first.exit_code, second.exit_code],
    )


def compare(planted: list[Planted], found: set[Key]) -> list[Finding]:
    """Hold what was planted against what was found, a line a product and check."""
    wanted = {(each.product, each.check, each.record_id) for each in planted}
    planted_count = Counter(key[:2] for key in wanted)
    found_count = Counter(key[:2] for key in wanted & found)
    besides = Counter(key[:2] for key in found - wanted)
    return [
        Finding(*rule, planted_count[rule], found_count[rule], besides[rule])
        for rule in sorted(planted_count | besides)
    ]


def refuse(folder: Path) -> None:
    """Raise UsageError where a folder is something else than an earlier demo."""
    workspace.planned(folder)
    is_demo = (folder / MARKER).is_file()
    if folder.exists() and not is_demo and any(folder.iterdir()):
        raise UsageError(f"{folder} is not empty and no earlier demo; name another")


def _clear(folder: Path) -> None:
    """Remove what an earlier demo made; a shell may be in the folder itself."""
    refuse(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / MARKER).touch()
        for each in (folder / name for name in _MADE):
            if each.is_dir() and not each.is_symlink():
                shutil.rmtree(each)
            else:
                each.unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(f"{folder} cannot be made anew: {error.strerror}") from None


def _prepare(folder: Path, made: History, base_url: str) -> Settings:
    """Write the demo's workspace; the keys go to the settings, never to a file."""
    workspace.write(folder, settings_text(made.world, base_url))
    return setting_files.load(folder / "recon.toml", keys())


def settings_text(world: World, base_url: str) -> str:
    """Return all that a business of the sandbox sets but its keys, as its TOML file."""
    return _SETTINGS.format(
        business=world.business,
        base_url=base_url,
        port=base_url.rpartition(":")[2],
        client_id=Credentials().escrow_client_id,
        wallet_iban=world.wallet_iban,
        provider_name=exports.PROVIDER_NAME,
    )


def keys() -> dict[str, str]:
    """Return the sandbox's credentials as variables of the environment."""
    credentials = Credentials()
    return {
        "RECON_UNIFIED__API_KEY": credentials.unified_key,
        "RECON_ESCROW__CLIENT_SECRET": credentials.escrow_client_secret,
        "RECON_CASH_IN__API_KEY": credentials.cash_in_key,
        "RECON_GATEWAY__API_KEY": credentials.gateway_key,
        "RECON_HOSTED__API_KEY": credentials.hosted_key,
    }


def _import(made: History, folder: Path, settings: Settings, lake: Lake) -> None:
    for kind, file in exports.write(made, folder).items():
        if kind in KINDS:
            take(kind, [file], settings, lake)


def _open_breaks(night: nightly.Night) -> set[Key]:
    names = ("product", "check", "record_id", "status")
    columns = (night.breaks[name].to_pylist() for name in names)
    return {
        (product, check, record_id)
        for product, check, record_id, status in zip(*columns, strict=True)
        if status == "open"
    }
