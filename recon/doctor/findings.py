"""What the doctor says: findings, and the exit code that they make."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from recon.errors import ExitCode

LAKE = "lake"
"""The area of all that is found of the lake."""


class Level(StrEnum):
    """How bad a finding is. A warning may be meant; a problem should not stay."""

    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"


@dataclass(frozen=True)
class Finding:
    """One finding of an area: a line that tells it, and a line of what to do.

    `exit_code` is what a problem makes of the command's exit code: 2 for the settings,
    3 for a source out of reach and for a damaged lake, 1 for anything else.
    """

    area: str
    level: Level
    told: str
    do: str = ""
    exit_code: ExitCode = ExitCode.CLEAN

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {
            "area": self.area,
            "level": self.level.value,
            "told": self.told,
            "do": self.do,
        }


def ok(area: str, told: str) -> Finding:
    """Return that something is as it should be."""
    return Finding(area, Level.OK, _line(told))


def warning(area: str, told: str, do: str) -> Finding:
    """Return what may be meant, and what to do if it is not."""
    return Finding(area, Level.WARNING, _line(told), _line(do))


def problem(
    area: str, told: str, do: str, exit_code: ExitCode = ExitCode.BREAKS_OPEN
) -> Finding:
    """Return what is wrong, and what to do about it."""
    return Finding(area, Level.PROBLEM, _line(told), _line(do), exit_code)


_FIRST = (ExitCode.USAGE, ExitCode.INCOMPLETE, ExitCode.BREAKS_OPEN)


@dataclass(frozen=True)
class Diagnosis:
    """Every finding, in the order in which things depend on each other."""

    findings: Sequence[Finding]

    def count(self, level: Level) -> int:
        """Return how many findings are of a level."""
        return sum(finding.level is level for finding in self.findings)

    @property
    def exit_code(self) -> ExitCode:
        """Return 0 without a problem, else the first that fits of 2, 3 and 1.

        Settings come first: while they are wrong, little else can be told.
        """
        found = {finding.exit_code for finding in self.findings}
        return next((code for code in _FIRST if code in found), ExitCode.CLEAN)

    def of_trouble(self) -> "Diagnosis":
        """Return it without what is as it should be; the exit code stays."""
        return Diagnosis([each for each in self.findings if each.level is not Level.OK])

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {
            "problems": self.count(Level.PROBLEM),
            "warnings": self.count(Level.WARNING),
            "exit_code": int(self.exit_code),
            "findings": [finding.as_dict() for finding in self.findings],
        }


def _line(text: str) -> str:
    return " ".join(text.split())
