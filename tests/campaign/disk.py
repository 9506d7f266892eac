"""A disk that counts its write steps and, at one of them, fails or ends the process.

`Disk` replaces what Python writes files with, for paths under one folder: opening for
writing, every write that reaches the file, fsync, link, rename, unlink, mkdir, rmdir,
and the statements of SQLite. Everything else goes its usual way. A step is counted
after the last one, so the n-th step of two equal runs is the same step.

Four ways to strike: `error` (the step raises and is not carried out), `full` (so do
all later ones that need room), `kill` (the process ends right after the step; a write
gets only half through where `torn` is set), and `power` (as kill, and what was not
flushed by then is lost: unflushed bytes, and names of folders that were not flushed).
"""

# This stands below pathlib, whose calls end here.
# ruff: noqa: PTH100, PTH102, PTH105, PTH112, PTH115, PTH118, PTH120

import builtins
import errno
import io
import os
import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

KILLED = 137
"""What a process exits with that the disk ended."""

_NEED_ROOM = {"create", "write", "fsync", "link", "rename", "mkdir", "sqlite"}
_STATEMENTS = ("begin", "insert", "update", "commit", "create", "pragma journal_mode")


@dataclass(frozen=True)
class Blow:
    """Which step is struck (from 1; 0 is none) and how."""

    at: int = 0
    way: str = "error"  # error, full, kill, power
    number: int = errno.EIO
    torn: bool = False
    seed: int = 0


class Disk:
    """The steps under a folder while `working` lasts; `steps` are their names.

    `kept` is a folder for what a power cut puts back: only such a blow needs it.
    """

    def __init__(
        self, root: Path, blow: Blow | None = None, *, kept: Path | None = None
    ) -> None:
        self.root = os.path.realpath(root)
        self.blow = blow or Blow()
        self.steps: list[str] = []
        self.struck = False
        self._paths: dict[int, str] = {}
        self._lost = _Lost(random.Random(self.blow.seed), kept)

    @contextmanager
    def working(self) -> Iterator["Disk"]:
        """Put the disk in the place of the usual one."""
        with ExitStack() as stack:
            for owner, name, new in self._replacements():
                stack.enter_context(mock.patch.object(owner, name, new))
            yield self

    def holds(self, path: Any) -> bool:
        """Tell whether a path lies under the folder."""
        if isinstance(path, (int, bytes)):
            return False
        full = os.path.abspath(os.fspath(path))
        return full == self.root or full.startswith(self.root + os.sep)

    def step(
        self,
        kind: str,
        path: Any,
        act: Callable[[], Any],
        half: Callable[[], Any] | None = None,
    ) -> Any:
        """Carry out one step, or let it fail, or end the process after it."""
        self.steps.append(f"{kind} {os.path.relpath(str(path), self.root)}")
        blow = self.blow
        here = len(self.steps) == blow.at
        still_full = self.struck and blow.way == "full" and kind in _NEED_ROOM
        if still_full or (here and blow.way in {"error", "full"}):
            self.struck = True
            if half is not None:
                half()
            raise _failure(kind, path, blow)
        if here and blow.torn and half is not None:
            half()
        else:
            answer = act()
        if here:
            self._end()
        return answer

    def _end(self) -> None:
        if self.blow.way == "power":
            self._lost.lose()
        os._exit(KILLED)

    def _replacements(self) -> list[tuple[Any, str, Any]]:
        opened = _opener(self, io.open)
        found: list[tuple[Any, str, Any]] = [
            (io, "open", opened),
            (builtins, "open", opened),
            (os, "open", self._os_open(os.open)),
            (os, "fsync", self._fsync(os.fsync)),
            (os, "link", self._two("link", os.link)),
            (os, "rename", self._two("rename", os.rename)),
            (os, "replace", self._two("rename", os.replace)),
            (os, "unlink", self._one("unlink", os.unlink)),
            (os, "remove", self._one("unlink", os.remove)),
            (os, "mkdir", self._one("mkdir", os.mkdir)),
            (os, "rmdir", self._one("rmdir", os.rmdir)),
            (sqlite3, "connect", self._connect(sqlite3.connect)),
        ]
        return found

    def _os_open(self, real: Callable[..., int]) -> Callable[..., int]:
        def opened(path: Any, flags: int, *given: Any, **named: Any) -> int:
            if named.get("dir_fd") is not None or not self.holds(path):
                return real(path, flags, *given, **named)
            if flags & os.O_CREAT and not os.path.lexists(path):
                handle = self.step(
                    "create", path, lambda: real(path, flags, *given, **named)
                )
                self._lost.made(str(path))
            else:
                handle = real(path, flags, *given, **named)
            self._paths[handle] = os.path.abspath(os.fspath(path))
            return int(handle)

        return opened

    def _fsync(self, real: Callable[..., None]) -> Callable[..., None]:
        def synced(handle: Any) -> None:
            number = handle if isinstance(handle, int) else handle.fileno()
            path = self._path_of(number)
            if path is None:
                real(handle)
                return
            self.step("fsync", path, lambda: self._flush(real, handle, path))

        return synced

    def _flush(self, real: Callable[..., None], handle: Any, path: str) -> None:
        real(handle)
        self._lost.flushed(path)

    def _path_of(self, number: int) -> str | None:
        try:
            path = os.readlink(f"/proc/self/fd/{number}")
        except OSError:
            path = self._paths.get(number, "")
        return path if self.holds(path) and path else None

    def _one(self, kind: str, real: Callable[..., None]) -> Callable[..., None]:
        def acted(path: Any, *given: Any, **named: Any) -> None:
            full = self._whole(path, named.get("dir_fd"))
            if full is None or _fails_anyway(kind, full):
                real(path, *given, **named)
                return

            def act() -> None:
                undo = self._lost.before(kind, full)
                real(path, *given, **named)
                self._lost.did(full, undo)

            self.step(kind, full, act)

        return acted

    def _whole(self, path: Any, folder: int | None) -> str | None:
        """Return the full path of a name that may stand in an opened folder."""
        if folder is not None:
            path = os.path.join(os.readlink(f"/proc/self/fd/{folder}"), path)
        return os.path.abspath(os.fspath(path)) if self.holds(path) else None

    def _two(self, kind: str, real: Callable[..., None]) -> Callable[..., None]:
        def acted(source: Any, target: Any, *given: Any, **named: Any) -> None:
            if not self.holds(target):
                real(source, target, *given, **named)
                return
            if kind == "link" and os.path.lexists(target):
                real(source, target, *given, **named)  # fails, and changes nothing
                return

            def act() -> None:
                undo = self._lost.before(kind, str(target), str(source))
                real(source, target, *given, **named)
                self._lost.did(str(target), undo)
                self._lost.renamed(kind, str(source), str(target))

            self.step(kind, target, act)

        return acted

    def _connect(self, real: Callable[..., Any]) -> Callable[..., Any]:
        disk = self

        class Counted(sqlite3.Connection):
            place = ""

            def execute(self, sql: str, *given: Any) -> Any:
                act = super().execute
                if not sql.strip().lower().startswith(_STATEMENTS):
                    return act(sql, *given)
                what = " ".join(sql.split()[:3])
                return disk.step(
                    "sqlite", f"{self.place}: {what}", lambda: act(sql, *given)
                )

        def connected(path: Any, *given: Any, **named: Any) -> Any:
            if not self.holds(path):
                return real(path, *given, **named)
            connection = real(path, *given, factory=Counted, **named)
            connection.place = str(path)
            return connection

        return connected


class _Raw(io.FileIO):
    """A file whose writes are steps."""

    disk: Disk

    def write(self, content: Any, /) -> int:
        act = super().write
        view = memoryview(content).cast("B")
        path = str(self.name)
        self.disk._lost.wrote(path)
        count: int = self.disk.step(
            "write", path, lambda: act(view), lambda: act(view[: len(view) // 2])
        )
        return count


def _opener(disk: Disk, real: Callable[..., Any]) -> Callable[..., Any]:
    def opened(file: Any, mode: str = "r", *given: Any, **named: Any) -> Any:
        writes = set(mode) & set("wxa+")
        if not writes or not disk.holds(file):
            return real(file, mode, *given, **named)
        plain = mode.replace("b", "").replace("t", "")
        is_new = not os.path.lexists(file)
        if "x" in mode and not is_new:
            return real(file, mode, *given, **named)
        path = os.fspath(file)
        if opener := named.get("opener"):
            raw = _Raw(path, plain, opener=opener)  # its os.open is the step
        else:
            raw = disk.step("create", path, lambda: _Raw(path, plain))
        raw.disk = disk
        if is_new:
            disk._lost.made(str(path))
        elif "w" in mode:
            disk._lost.wrote(str(path), size=0)
        buffered = (io.BufferedRandom if "+" in mode else io.BufferedWriter)(raw)
        if "b" in mode:
            return buffered
        texts = {k: v for k, v in named.items() if k in {"encoding", "newline"}}
        return io.TextIOWrapper(buffered, **texts)

    return opened


class _Lost:
    """What a power cut would take: unflushed bytes, and names not flushed."""

    def __init__(self, chance: random.Random, kept: Path | None) -> None:
        self._chance = chance
        self._sizes: dict[str, int] = {}  # bytes that are safe, of unflushed files
        self._names: list[tuple[str, Callable[[], None]]] = []
        self._kept = kept

    def wrote(self, path: str, size: int | None = None) -> None:
        path = os.path.abspath(path)
        if path not in self._sizes:
            known = Path(path).stat().st_size if Path(path).exists() else 0
            self._sizes[path] = known if size is None else size

    def flushed(self, path: str) -> None:
        path = os.path.abspath(path)
        self._sizes.pop(path, None)
        self._names = [each for each in self._names if os.path.dirname(each[0]) != path]

    def made(self, path: str) -> None:
        path = os.path.abspath(path)
        self._names.append((path, lambda: Path(path).unlink(missing_ok=True)))
        self._sizes.setdefault(path, 0)

    def before(self, kind: str, path: str, source: str = "") -> Callable[[], None]:
        """Return what takes a change of names back; called before the change."""
        if kind in {"mkdir", "link"}:
            remove = shutil.rmtree if kind == "mkdir" else os.unlink
            return lambda: remove(path)
        if kind == "rmdir":
            return lambda: os.mkdir(path)
        old = self._keep(path)

        def undo() -> None:
            if kind == "rename" and os.path.lexists(path):
                os.replace(path, source)
            if old is not None:
                shutil.copy2(old, path)

        return undo

    def did(self, path: str, undo: Callable[[], None]) -> None:
        self._names.append((os.path.abspath(path), undo))

    def renamed(self, kind: str, source: str, target: str) -> None:
        source, target = os.path.abspath(source), os.path.abspath(target)
        if source in self._sizes:
            self._sizes[target] = self._sizes[source]
            if kind == "rename":
                del self._sizes[source]

    def lose(self) -> None:
        """Cut what was not flushed: names from some moment on, bytes anywhere."""
        for path, safe in self._sizes.items():
            if Path(path).is_file():
                size = Path(path).stat().st_size
                if safe <= size:
                    os.truncate(path, self._chance.randint(safe, size))
        kept = self._chance.randint(0, len(self._names))
        for _, undo in reversed(self._names[kept:]):
            try:
                undo()
            except OSError:
                continue  # a folder that went took its names along

    def _keep(self, path: str) -> Path | None:
        if not self._kept or not Path(path).is_file():
            return None
        copy = self._kept / f"{len(self._names)}"
        shutil.copy2(path, copy)
        return copy


def _fails_anyway(kind: str, path: str) -> bool:
    """Tell whether a step changes nothing: what it is about is there, or is not."""
    if kind == "mkdir":
        return os.path.lexists(path) or not os.path.isdir(os.path.dirname(path))
    return not os.path.lexists(path)


def _failure(kind: str, path: Any, blow: Blow) -> Exception:
    if kind == "sqlite":
        return sqlite3.OperationalError("database or disk is full")
    number = errno.ENOSPC if blow.way == "full" else blow.number
    return OSError(number, os.strerror(number), str(path))
