"""What a try of one input is, and how it is watched: its time, its end, its memory."""

import resource
import signal
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from types import FrameType

SECONDS_A_TRY = 30.0
"""A try that takes longer hangs. Usual ones take milliseconds."""

MOST_GROWTH_BYTES = 768 * 2**20
"""How much more memory the tries of a target may take than its sound input."""

TAKEN, REFUSED = "taken", "refused"

Try = Callable[[Random], str]
"""Makes one input, gives it to the program and judges; says taken or refused."""


Opening = Callable[[Path], AbstractContextManager[Try]]
"""Is given an empty folder and gives the try of a target."""


class Wrong(AssertionError):  # noqa: N818 - said as people say it
    """The program did what it must not: the text says what."""


class Hang(BaseException):
    """A try took too long; no `except Exception` of the program stops it."""


@dataclass(frozen=True)
class Target:
    """A door of the program that is fuzzed.

    `open` is given an empty folder and yields the try; `share` is how many of a
    thousand inputs of a campaign go here.
    """

    name: str
    share: int
    open: Opening


@dataclass
class Tally:
    """What became of the tries of one target."""

    target: str
    seed: int
    outcomes: Counter[str] = field(default_factory=Counter)
    defects: list[str] = field(default_factory=list)
    grown_bytes: int = 0

    @property
    def count(self) -> int:
        """Return how many inputs were tried."""
        return self.outcomes.total()


def chance_of(target: str, seed: int, number: int) -> Random:
    """Return what the input of that number is drawn from."""
    return Random(f"{target}/{seed}/{number}")


def tried(
    target: Target, folder: Path, seed: int, numbers: range, *, most_defects: int = 20
) -> Tally:
    """Try some inputs of a target, each within its time."""
    tally = Tally(target.name, seed)
    folder.mkdir(parents=True, exist_ok=True)
    with target.open(folder) as attempt:
        before = peak_bytes()
        for number in numbers:
            (folder / "number").write_text(str(number))
            try:
                with bounded_time():
                    outcome = attempt(chance_of(target.name, seed, number))
            except (Exception, Hang) as error:  # noqa: BLE001 - that is what we look for
                outcome = "defect"
                tally.defects.append(f"input {number}: {told(error)}")
            tally.outcomes[outcome] += 1
            if len(tally.defects) >= most_defects:
                break
        tally.grown_bytes = peak_bytes() - before
    if tally.grown_bytes > MOST_GROWTH_BYTES:
        tally.defects.append(f"memory grew by {tally.grown_bytes:,} bytes")
    return tally


def told(error: BaseException) -> str:
    """Return an error with the last lines of its trace that are the program's."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [each for each in frames if "/tests/fuzz/tries.py" not in each.filename]
    places = [f"{Path(each.filename).name}:{each.lineno}" for each in own[-6:]]
    return f"{type(error).__name__}: {str(error)[:300]!r} at {' > '.join(places)}"


def peak_bytes() -> int:
    """Return the most memory that this process had so far."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak * (1 if sys.platform == "darwin" else 1024)


@contextmanager
def bounded_time(seconds: float = SECONDS_A_TRY) -> Iterator[None]:
    """Raise Hang when the block takes longer."""

    def ring(_: int, __: FrameType | None) -> None:
        raise Hang(f"it took more than {seconds:g} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def one_line(text: str) -> None:
    """Hold that a text is one clear line."""
    if not text or "\n" in text or "\r" in text:
        raise Wrong(f"not one line: {text[:300]!r}")
    if len(text) > 5_000:
        raise Wrong(f"a line of {len(text):,} characters: {text[:200]!r}")
    if "Traceback" in text:
        raise Wrong(f"a traceback: {text[:300]!r}")
