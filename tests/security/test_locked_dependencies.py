"""Every dependency is pinned and hashed, and nothing comes from anywhere else."""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]
_REQUIREMENT = re.compile(
    r"(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)==(?P<version>[0-9][\w.+!]*)"
    r"(?: ; [^\\]+)?(?P<hashes>(?: --hash=sha256:[0-9a-f]{64})*)"
)


def requirements(text: str) -> Mapping[str, int]:
    """Return each pinned package of a lock with the number of its hashes.

    ValueError names a line that is anything but a pinned package.
    """
    found = {}
    whole = text.replace("\\\n", " ")
    for line in whole.splitlines():
        plain = " ".join(line.partition(" #")[0].split())
        if not plain or plain.startswith("#"):
            continue
        requirement = _REQUIREMENT.fullmatch(plain)
        if requirement is None:
            raise ValueError(plain[:200])
        found[canonical(requirement["name"])] = requirement["hashes"].count("sha256:")
    return found


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def wanted() -> set[str]:
    """Return the packages that the project and its development extra ask for."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    asked = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    return {canonical(re.split(r"[\[<>=!~ ;]", each, maxsplit=1)[0]) for each in asked}


def lock() -> str:
    return (ROOT / "requirements.lock").read_text("utf-8")


def test_every_package_is_pinned_and_hashed() -> None:
    found = requirements(lock())
    assert len(found) > 100
    assert [name for name, hashes in found.items() if hashes < 1] == []


def test_every_dependency_is_locked() -> None:
    assert wanted() - requirements(lock()).keys() == set()


def test_the_lock_names_no_place() -> None:
    text = lock()
    assert "://" not in text
    assert not re.search(
        r"^\s*-(?!-hash)", text.replace("    --hash", ""), re.MULTILINE
    )
    assert not re.search(r"@ |\.whl|\.tar\.gz|file:", text)


def test_a_loose_lock_is_seen() -> None:
    assert requirements("a==1\n") == {"a": 0}
    for line in ("a>=1", "a", "-e .", "--index-url https://x", "a @ https://x/a.whl"):
        try:
            requirements(line)
        except ValueError:
            continue
        raise AssertionError(line)


def test_an_installation_asks_for_hashes() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert "--require-hashes -r requirements.lock" in makefile
