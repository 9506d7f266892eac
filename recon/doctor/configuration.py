"""Which settings are made, and where: names and places, never a value."""

import os
import stat
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from recon import notify, setting_files
from recon.api.redaction import named_secrets
from recon.doctor import secret_file
from recon.doctor.findings import Finding, ok, problem, warning
from recon.errors import ExitCode, SettingsError
from recon.imports.checksums import iban_holds, looks_like_iban
from recon.lake.addresses import SCHEME
from recon.setting_values import Secret
from recon.settings import SECTIONS, CashIn, Settings, keys_of, variable_of
from recon.wording import counted

AREA = "settings"
CREDENTIALS = {
    "unified": ("api_key",),
    "escrow": ("client_id", "client_secret"),
    "cash_in": ("api_key",),
    "gateway": ("api_key",),
    "hosted": ("api_key",),
}
PRODUCTS = tuple(CREDENTIALS)
_STARTER_NAME = "your-business"
_NO_KEYRING = (
    "; the system's keyring cannot be asked here ({failure}): a job of cron, for one, "
    "has no session whose keyring is open"
)


def read(
    config: Path | None, environment: Mapping[str, str] | None = None
) -> tuple[Settings | None, list[Finding]]:
    """Read the settings as every command does; None and why, if they cannot be."""
    environment = os.environ if environment is None else environment
    file = setting_files.file_of(config, environment)
    if _is_absent(file):
        told = f"{file} does not exist"
        do = "run `recon init` to write one, or name yours with --config"
        return None, [problem(AREA, told, do, ExitCode.USAGE)]
    try:
        settings = setting_files.load(config, environment)
    except SettingsError as error:
        do = "correct that setting; the README lists them all"
        if str(error).startswith(f"{file} cannot be read"):
            do = "let this user read it, as UTF-8 text, or name yours with --config"
        return None, [problem(AREA, str(error), do, ExitCode.USAGE)]
    return settings, list(_findings(settings, file, environment))


def _is_absent(file: Path) -> bool:
    try:
        return not file.exists()
    except OSError:  # it may be there; to read it says why not
        return False


def credential_missing(settings: Settings, product: str) -> str:
    """Return the first credential that a product lacks; empty if it lacks none."""
    section = getattr(settings, product)
    for key in CREDENTIALS[product]:
        value = getattr(section, key)
        if value is None or value == Secret(""):
            return key
    return ""


def _findings(
    settings: Settings, file: Path, environment: Mapping[str, str]
) -> Iterator[Finding]:
    document = tomllib.loads(file.read_text(encoding="utf-8-sig"))
    for section in SECTIONS:
        if section in PRODUCTS and getattr(settings, section) is None:
            yield ok(AREA, f"{section}: no such section, so this product is skipped")
            continue
        told = _origins(section, document, environment)
        if told:
            yield ok(AREA, f"{section}: {told}")
        if section in PRODUCTS:
            yield from _product(settings, section)
    yield from _oddities(settings, file, document)
    yield from _shared_journal(settings, file)
    yield from secret_file.findings(settings.folder, AREA)


def _origins(
    section: str, document: Mapping[str, Any], environment: Mapping[str, str]
) -> str:
    """Say which keys of a section are set and where; empty if none is."""
    by_name = {name.upper(): name for name in environment}
    given = document.get(section, {})
    filed, variables = [], []
    for key in keys_of(section):
        start = variable_of(section, key)
        own = [
            name
            for upper, name in by_name.items()
            if upper == start or upper.startswith(f"{start}__")
        ]
        variables += sorted(own)
        if key in given and start not in by_name:
            filed.append(key)
    parts = []
    if filed:
        parts.append(f"{', '.join(filed)} from the file")
    if variables:
        parts.append(f"{', '.join(variables)} from the environment")
    return "; ".join(parts)


def _product(settings: Settings, product: str) -> Iterator[Finding]:
    section = getattr(settings, product)
    if not section.base_url:
        told = f"{product}.base_url is not set, so this product is skipped"
        yield warning(AREA, told, f"set {product}.base_url, or remove the section")
        return
    missing = credential_missing(settings, product)
    if missing:
        told = f"{product}.{missing} is not set"
        do = f"set {variable_of(product, missing)} in the environment"
        if failure := setting_files.keyring_failure(product, missing):
            do += _NO_KEYRING.format(failure=failure)
        yield problem(AREA, told, do, ExitCode.USAGE)


def _oddities(
    settings: Settings, file: Path, document: Mapping[str, Any]
) -> Iterator[Finding]:
    if settings.business.name == _STARTER_NAME:
        told = f'business.name is still "{_STARTER_NAME}"'
        yield warning(AREA, told, "write the name that the provider's paths have")
    if settings.cash_in and settings.cash_in.base_url:
        yield from _cash_in(settings.cash_in)
    mode = file.stat().st_mode
    if mode & stat.S_IWOTH:
        told = (
            f"everybody on this machine may write to {file}: also where the "
            "credentials are sent"
        )
        yield warning(AREA, told, f"chmod o-w {file}")
    secrets = sorted(_secrets_in(settings, document))
    if secrets and stat.S_IMODE(mode) & 0o077:
        told = f"others on this machine may read {', '.join(secrets)} in {file}"
        yield warning(
            AREA, told, f"move secrets to the environment, or chmod 600 {file}"
        )
    if settings.notify.urls:
        lines = notify.unusable(settings)
        yield from (
            warning(AREA, line, "a night then ends without a message") for line in lines
        )
        if not lines:
            addresses = counted(len(settings.notify.urls), "receiver")
            yield ok(AREA, f"notify: {addresses}, all understood")


def _cash_in(cash_in: CashIn) -> Iterator[Finding]:
    if not cash_in.wallet_iban:
        told = "cash_in.wallet_iban is not set: the only active account will be taken"
        do = "set it; with several accounts no balance can be read without it"
        yield warning(AREA, told, do)
    ibans = (cash_in.wallet_iban, *cash_in.wallet_iban_since.values())
    if any(looks_like_iban(each) and not iban_holds(each) for each in ibans):
        told = "cash_in.wallet_iban: the check digits of an IBAN do not fit the rest"
        yield warning(AREA, told, "compare it with the one that the provider shows")
    if not cash_in.settled_statuses:
        told = "cash_in.settled_statuses is empty: no deposit counts as landed"
        do = "name the statuses by which the provider says that a deposit has landed"
        yield warning(AREA, told, do)


def _shared_journal(settings: Settings, file: Path) -> Iterator[Finding]:
    """Tell of other settings beside these whose lake, in a bucket too, is another one.

    The journal of a lake in a bucket is in the folder of its settings, whoever's it is.
    """
    if not settings.lake_path.startswith(SCHEME):
        return
    for other in sorted(settings.folder.glob("*.toml")):
        place = _lake_of(other)
        is_another = place.rstrip("/") != settings.lake_path.rstrip("/")
        if other.name != file.name and place.startswith(SCHEME) and is_another:
            told = (
                f"{other.name} beside {file.name} names another lake ({place}), and "
                "both have one journal: each night takes the requests and the events "
                "of both"
            )
            do = (
                "move one of them into a folder of its own; the requests that it sent "
                "stay in the journal here: look at them before it sends any more"
            )
            yield warning(AREA, told, do)


def _lake_of(file: Path) -> str:
    """Return what a settings file says of its lake; empty where that is nothing."""
    try:
        lake = tomllib.loads(file.read_text(encoding="utf-8-sig")).get("lake", {})
        return str(lake.get("path", ""))
    except (OSError, ValueError, AttributeError, RecursionError):
        return ""


def _secrets_in(settings: Settings, document: Mapping[str, Any]) -> set[str]:
    """Return the names of the secrets that stand in the file."""
    names = {name for name, _ in named_secrets(settings)}
    return {
        f"{section}.{key}" for section in document for key in document[section]
    } & names
