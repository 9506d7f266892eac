"""Secrets of the system's keyring, and what the doctor says of one that is shut."""

import importlib.machinery
import sys
import types
from collections.abc import Callable
from pathlib import Path

import pytest

from recon import setting_files
from recon.doctor import configuration

MINIMAL = '[business]\nname = "shop"\n'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "recon.toml"


def keyring_of(
    patch: pytest.MonkeyPatch, get_password: Callable[[str, str], str | None]
) -> None:
    keyring = types.ModuleType("keyring")
    keyring.__spec__ = importlib.machinery.ModuleSpec("keyring", None)
    keyring.get_password = get_password  # type: ignore[attr-defined]
    patch.setitem(sys.modules, "keyring", keyring)


def test_a_secret_that_nobody_gave_comes_from_the_keyring(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_text(MINIMAL + "[unified]\n[gateway]\n", encoding="utf-8")
    kept = {("recon", "unified.api_key"): "kept"}
    keyring_of(monkeypatch, lambda service, user: kept.get((service, user)))

    found = setting_files.load(file, {"RECON_GATEWAY__API_KEY": "given"})
    assert found.unified is not None
    assert found.gateway is not None
    assert found.unified.api_key.reveal() == "kept"
    assert found.gateway.api_key.reveal() == "given"

    kept.clear()
    unset = setting_files.load(file, {})
    assert unset.unified is not None
    assert not unset.unified.api_key


def test_the_doctor_says_that_a_keyring_cannot_be_asked(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_text(MINIMAL + '[unified]\nbase_url = "https://a.invalid"\n', "utf-8")

    def advice() -> str:
        _, found = configuration.read(file, {})
        (told,) = [each.do for each in found if "api_key is not set" in each.told]
        return told

    plain = "set RECON_UNIFIED__API_KEY in the environment"
    keyring_of(monkeypatch, lambda *_: None)
    assert advice() == plain

    def locked(_: str, user: str) -> str:
        raise TimeoutError(f"the password of {user} is canary-secret")

    keyring_of(monkeypatch, locked)
    assert advice() == (
        f"{plain}; the system's keyring cannot be asked here (TimeoutError): a job of "
        "cron, for one, has no session whose keyring is open"
    )
