"""Finding and reading `recon.toml` and the environment into `Settings`."""

import importlib
import importlib.util
import os
import re
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from recon import setting_values
from recon.errors import SettingsError
from recon.settings import (
    ENVIRONMENT_PREFIX,
    SECTIONS,
    Settings,
    keys_of,
    variable_of,
)
from recon.wording import is_utf8, reason_of

DEFAULT_FILE = "recon.toml"
_PLACE = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")
_BACKSLASH = "a backslash in a text: write two, or put the text in 'single quotes'"
_MISTAKES = {
    "Cannot overwrite a value": (
        "a key stands in its section twice; is the line of a [section] still a comment?"
    ),
    "Cannot declare": "a section stands in it twice",
    "Invalid value": 'a value is none: a text needs straight quotes, "like this"',
    "Invalid hex value": _BACKSLASH,
    "Unescaped '\\'": _BACKSLASH,
    "Illegal character '": "a text has no quote at its end, or a sign that is not seen",
}
"""What a reader of TOML says of the mistakes that people make, and what they did."""
KEYRING_SERVICE = "recon"
_NOT_SETTINGS = {"RECON_CONFIG", "RECON_LOG"}
_MOST_BYTES = 2**20  # of a settings file
_LONGEST_NAME = 100  # characters of a name that an error repeats
_DEEPEST_TABLE = 6  # names below a key: layouts.<name>.words.<kind>.<column>.<word>


def file_of(config: Path | None, environment: Mapping[str, str]) -> Path:
    """Return the settings file: `config`, else `RECON_CONFIG`, else `./recon.toml`."""
    return config or Path(environment.get("RECON_CONFIG") or DEFAULT_FILE)


def load(
    config: Path | None = None, environment: Mapping[str, str] | None = None
) -> Settings:
    """Read the settings of the file that `file_of` names.

    The environment (`RECON_<SECTION>__<KEY>`) wins over the file; a secret that
    neither has is looked up in the system's keyring. Raises
    SettingsError with one line that names the key, what it may be, and file and line
    where they are known.
    """
    environment = os.environ if environment is None else environment
    return _Reading(file_of(config, environment), environment).settings()


class _Reading:
    """One reading of one file; keeps the text to name lines in errors."""

    def __init__(self, file: Path, environment: Mapping[str, str]) -> None:
        self.file = file
        self.text = _text_of(file)
        try:
            self.document = tomllib.loads(self.text)
        except (ValueError, RecursionError) as error:  # numbers and nesting, too
            reason = "it nests too deeply" if _is_deep(error) else str(error)
            raise SettingsError(_in_our_words(file, _shortened(reason))) from None
        self.overrides = _overrides(environment)

    def settings(self) -> Settings:
        for section, given in self.document.items():
            if section not in SECTIONS and not isinstance(given, dict):
                raise self._error(section, None, "stands above the first [section]")
            if section not in SECTIONS:
                raise self._error(
                    section, None, f"no such section; {_listed(SECTIONS)}"
                )
        present = [
            name for name in SECTIONS if name in self.document or name in self.overrides
        ]
        read = {name: self._section(name) for name in present}
        if "business" not in read:
            raise SettingsError(f"{self.file}: business.name is required")
        settings = Settings(**read, folder=self.file.resolve().parent)
        self._check_days(settings)
        self._check_place(settings)
        return settings

    def _check_place(self, settings: Settings) -> None:
        """Refuse a lake whose folder no engine can be told: its name is bytes."""
        if not is_utf8(settings.lake_path):
            why = (
                f"{settings.lake_path} must have a name in UTF-8; where it has one, "
                "run recon in a UTF-8 locale (LC_ALL=C.UTF-8)"
            )
            raise self._error("lake", "path", why)

    def _check_days(self, settings: Settings) -> None:
        """Refuse what no reader of one value knows to be wrong.

        Days that are none in the business's zone, and a change of an unknown wallet.
        """
        dated = [
            (section, "fee_bearer_since", given.fee_bearer_since)
            for section, given in settings.fee_bearers().items()
        ]
        if cash_in := settings.cash_in:
            dated.append(("cash_in", "wallet_iban_since", cash_in.wallet_iban_since))
            dated.append(("cash_in", "wage_from_since", cash_in.wage_from_since))
        for section, key, since in dated:
            try:
                settings.instants_of(since)
            except ValueError as error:
                why = f"must be a table of days: {error}"
                raise self._error(section, key, why) from None
        if cash_in and cash_in.wallet_iban_since and not cash_in.wallet_iban:
            why = "needs cash_in.wallet_iban, the IBAN before the first of its days"
            raise self._error("cash_in", "wallet_iban_since", why)

    def _section(self, section: str) -> Any:
        given = self.document.get(section, {})
        if not isinstance(given, dict):
            raise self._error(section, None, "a section: write [" + section + "]")
        readers = keys_of(section)
        read = {}
        for key, value in given.items():
            if key not in readers:
                raise self._error(section, key, f"no such key; {_listed(readers)}")
            read[key] = self._value(readers[key], section, key, value)
        for key, value in self.overrides.get(section, {}).items():
            name = variable_of(section, key)
            if key == "severity" and isinstance(value, dict):
                level = _from_environment(readers[key], name, value)
                read[key] = {**read.get(key, {}), **level}
                continue
            if key not in readers:
                raise _unknown(name, readers)
            read[key] = _from_environment(readers[key], name, value)
        for key in [key for key, each in readers.items() if _is_unset(each, read, key)]:
            kept = _from_keyring(section, key) or ""
            place = f"{section}.{key} of the keyring"
            read[key] = _from_environment(readers[key], place, kept)
        if section == "business" and "name" not in read:
            raise self._error(section, None, "name is required")
        return SECTIONS[section](**read)

    def _value(
        self, read: setting_values.Reader, section: str, key: str, value: Any
    ) -> Any:
        try:
            return read(value)
        except (ValueError, RecursionError) as error:
            if _line_of(self.text, section, key) is None:
                key = ".".join([key, *_refused_part(read, value)])
            raise self._error(section, key, _allowed(error)) from None

    def _error(self, section: str, key: str | None, why: str) -> SettingsError:
        line, within = _line_of(self.text, section, key), key or ""
        while line is None and "." in within:
            within = within.rpartition(".")[0]
            line = _line_of(self.text, section, within)
        place = f"{self.file}:{line}" if line else str(self.file)
        named = _shortened(f"{section}{f'.{key}' if key else ''}", _LONGEST_NAME)
        return SettingsError(f"{place}: {named}: {_shortened(why)}")


def _refused_part(read: setting_values.Reader, value: Any) -> list[str]:
    """Return the names that lead to what a reader refuses within tables of tables.

    A table that is refused when it is empty, too, is itself what is wrong.
    """
    names: list[str] = []
    while isinstance(value, dict) and len(names) < _DEEPEST_TABLE:
        parts = (name for name in value if _refuses(read, [*names, name], value[name]))
        name = next(parts, None)
        if name is None or _refuses(read, names, {}):
            break
        names, value = [*names, name], value[name]
    return names


def _refuses(read: setting_values.Reader, names: list[str], part: Any) -> bool:
    """Tell whether a reader refuses tables that hold this alone, under these names."""
    for name in reversed(names):
        part = {name: part}
    try:
        read(part)
    except (ValueError, RecursionError):
        return True
    return False


def _text_of(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            content = opened.read(_MOST_BYTES + 1)
        text = content.decode("utf-8-sig")
    except FileNotFoundError:
        raise SettingsError(
            f"{file} does not exist; `recon init` writes one, --config names another"
        ) from None
    except (OSError, ValueError) as error:
        raise SettingsError(f"{file} cannot be read: {reason_of(error)}") from None
    if len(content) > _MOST_BYTES:
        raise SettingsError(f"{file} is longer than {_MOST_BYTES:,} bytes")
    return text.replace("\r\n", "\n")


def _overrides(environment: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for name, value in environment.items():
        if not name.startswith(ENVIRONMENT_PREFIX) or name in _NOT_SETTINGS:
            continue
        section, _, key = name.removeprefix(ENVIRONMENT_PREFIX).lower().partition("__")
        if section not in SECTIONS or not key:
            raise _unknown(name, SECTIONS)
        table, _, check = key.partition("__")
        if section == "checks" and table == "severity" and check:
            levels = found.setdefault(section, {}).setdefault(table, {})
            if isinstance(levels, dict):  # a text there is refused as a bad value
                levels[check] = value
        else:
            found.setdefault(section, {})[key] = value
    return found


def _is_unset(reader: setting_values.Reader, read: dict[str, Any], key: str) -> bool:
    return reader is setting_values.secret and not read.get(key)


def _from_keyring(section: str, key: str) -> str | None:
    """Ask the system's keyring, where the extra is installed and has one.

    The entry's service is `recon`, its user name `<section>.<key>`. None where it
    cannot be asked, too: `keyring_failure` says so.
    """
    with suppress(Exception):  # backends raise what they like
        kept = _asked_of_keyring(section, key)
        return kept if isinstance(kept, str) else None
    return None


def keyring_failure(section: str, key: str) -> str | None:
    """Name the error with which the system's keyring refused a question, if it does.

    Its text may hold anything. None where the extra is not installed.
    """
    try:
        _asked_of_keyring(section, key)
    except Exception as error:  # noqa: BLE001 - as above
        return type(error).__name__
    return None


def _asked_of_keyring(section: str, key: str) -> Any:
    if importlib.util.find_spec("keyring") is None:
        return None
    keyring = importlib.import_module("keyring")
    return keyring.get_password(KEYRING_SERVICE, f"{section}.{key}")


def _from_environment(read: setting_values.Reader, name: str, value: Any) -> Any:
    try:
        return read(value)
    except (ValueError, RecursionError) as error:
        raise SettingsError(
            f"{_shortened(name, _LONGEST_NAME)}: {_allowed(error)}"
        ) from None


def _unknown(name: str, known: Mapping[str, Any]) -> SettingsError:
    shown = _shortened(name, _LONGEST_NAME)
    return SettingsError(f"{shown}: no such setting; {_listed(known)}")


def _allowed(error: Exception) -> str:
    return "nests too deeply" if _is_deep(error) else _shortened(f"must be {error}")


def _is_deep(error: Exception) -> bool:
    return isinstance(error, RecursionError)


def _in_our_words(file: Path, reason: str) -> str:
    """Return what is no TOML as file, line, and what people do to make it so."""
    at = _PLACE.search(reason)
    line = f":{at[1]}" if at and at[1] else ""
    for theirs, ours in _MISTAKES.items():
        if theirs in reason:
            return f"{file}{line}: {ours}"
    return f"{file}: {reason}"


def _shortened(text: str, most: int = 1_000) -> str:
    """Return a text as one line that can be printed, and is not a book."""
    shown = "".join(sign if sign.isprintable() else " " for sign in text[: most + 1])
    return shown if len(text) <= most else f"{shown[:most]}…"


def _listed(names: Mapping[str, Any]) -> str:
    return "there are " + ", ".join(names)


def _line_of(text: str, section: str, key: str | None) -> int | None:
    """Find the line of a key as people write TOML; None where it can't be told."""
    inside = ""
    for number, line in enumerate(text.splitlines(), start=1):
        header = re.match(r"\s*\[+\s*([\w.\-\"]+)\s*\]+", line)
        if header:
            inside = header[1].replace('"', "")
            if key is None and inside == section:
                return number
            if key is not None and inside == f"{section}.{key}":
                return number
        named = re.match(r"\s*[\"']?([\w.\-]+)[\"']?\s*=", line)
        if named and key is not None:
            full = f"{inside}.{named[1]}" if inside else named[1]
            if full == f"{section}.{key}":
                return number
        if named and key is None and not inside and named[1].split(".")[0] == section:
            return number
    return None
