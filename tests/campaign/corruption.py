"""Rot: bytes of a lake flipped, zeroed, cut, added, swapped or gone, one at a time.

After each: the doctor's deep examination names the damaged file, every read that uses
it raises CorruptLake and none returns other rows, and a copy of the lake brings it
back to the byte. What is committed, encrypted or not, is found by the same hashes.
"""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

from recon.errors import CorruptLake
from recon.lake import Lake
from recon.lake.healing import heal
from recon.lake.health import Health, examine
from tests.campaign.shop import opened

_DAMAGES_A_SEED = 60

Change = Callable[[Path, Random, Path], bool]
"""Damages a file; gets the chance and another file. False where it cannot."""


def _flip(file: Path, chance: Random, _: Path) -> bool:
    content = bytearray(file.read_bytes())
    content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    file.write_bytes(content)
    return True


def _zero(file: Path, chance: Random, _: Path) -> bool:
    content = bytearray(file.read_bytes())
    start = chance.randrange(len(content))
    end = min(len(content), start + chance.randint(1, 512))
    if not any(content[start:end]):
        return False
    content[start:end] = bytes(end - start)
    file.write_bytes(content)
    return True


def _cut(file: Path, chance: Random, _: Path) -> bool:
    content = file.read_bytes()
    file.write_bytes(content[: chance.randrange(len(content))])
    return True


def _add(file: Path, chance: Random, _: Path) -> bool:
    with file.open("ab") as opened_file:
        opened_file.write(chance.randbytes(chance.randint(1, 64)))
    return True


def _swap(file: Path, _: Random, other: Path) -> bool:
    if file == other or file.read_bytes() == other.read_bytes():
        return False
    file.write_bytes(other.read_bytes())
    return True


def _remove(file: Path, _: Random, __: Path) -> bool:
    file.unlink()
    return True


CHANGES: dict[str, Change] = {
    "flipped": _flip,
    "zeroed": _zero,
    "cut": _cut,
    "added": _add,
    "swapped": _swap,
    "removed": _remove,
}


def trials(
    seed: int, folder: Path, count: int = _DAMAGES_A_SEED
) -> Iterator[dict[str, Any]]:
    """Damage a small lake so many times, each time from a whole one."""
    chance = Random(seed)
    shop = opened(folder / "shop", seed)
    shop.take_files()
    shop.pull(full=True)
    shop.pull(full=True)
    copies, root = folder / "copies", shop.root
    shutil.copytree(root, copies)
    files = [
        path.relative_to(root)
        for name in ("commits", "pages", "records", "seen")
        for path in sorted((root / name).rglob("*"))
        if path.is_file()
    ]
    for _ in range(count):
        kind = chance.choice([*CHANGES])
        file, other = chance.choice(files), chance.choice(files)
        if not CHANGES[kind](root / file, chance, root / other):
            continue
        wrong = [f"{file} {kind}: {each}" for each in _doubts(root, file, copies)]
        yield {"damages": 1, "damages_by_kind": {kind: 1}, "wrong": wrong}
        shutil.copy2(copies / file, root / file)
    shutil.rmtree(folder)


def _doubts(root: Path, file: Path, copies: Path) -> Iterator[str]:
    """Say what did not notice the damage, and what did not heal."""
    health = examine(Lake(root), deep=True)
    if not _named(health, file):
        yield "the doctor does not name it"
    if not _is_newest_record(file, copies) and not _raises(root, file):
        yield "a read that uses it says nothing"
    heal(Lake(root), health.damages, copies)
    if (
        not (root / file).exists()
        or (root / file).read_bytes() != (copies / file).read_bytes()
    ):
        if not _cannot_be_proven(file, copies):
            yield "the copy did not bring it back"
    elif not examine(Lake(root), deep=True).whole:
        yield "it is back, and the doctor still finds damage"


def _named(health: Health, file: Path) -> bool:
    """Tell whether a damage names the file, or what its lost record leaves behind."""
    paths = {damage.path for damage in health.damages}
    return file.as_posix() in paths or any(each.doubtful for each in health.leftovers)


def _raises(root: Path, file: Path) -> bool:
    """Read whatever uses a file; tell whether it was refused."""
    lake = Lake(root)
    try:
        commits = lake.commits()
        for commit in commits:
            for stored in commit.files:
                if stored.path == file.as_posix():
                    lake.file(stored)
                    lake.page(commit.id, 1)
    except CorruptLake:
        return True
    return False


def _is_newest_record(file: Path, copies: Path) -> bool:
    """Tell whether it is the last record: that one leaves no gap when it is gone."""
    newest = max(path.name for path in (copies / "commits").glob("*.json"))
    return file.parts[0] == "commits" and file.name == newest


def _cannot_be_proven(file: Path, copies: Path) -> bool:
    """A record that names no file is proven by nothing, and is not restored."""
    if file.parts[0] != "commits":
        return False
    number = int(file.stem)
    commit = Lake(copies).commits()[number - 1]
    return not commit.files
