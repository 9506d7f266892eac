"""The parts of the docs that are made from the code; `python -m tests.generated_docs`.

A part stands between `<!-- name -->` and `<!-- /name -->`; tests/test_docs.py holds
each against the code.
"""

import re
from collections.abc import Callable
from pathlib import Path

from recon.cli.group import COMMANDS
from recon.errors import ExitCode
from recon.imports.kinds import KINDS
from recon.imports.sides import DIRECTION
from recon.reconcile.checks import shipped_checks
from recon.settings import SECTIONS, keys_of

ROOT = Path(__file__).parents[1]

_EXITS = {
    ExitCode.CLEAN: "nothing open at severity `error` or above",
    ExitCode.BREAKS_OPEN: "such breaks are open",
    ExitCode.USAGE: "a wrong call, a wrong setting, or a refused file",
    ExitCode.INCOMPLETE: "a source could not be read whole; reports are marked",
    ExitCode.LOCKED: "another run holds the lock",
}


def commands() -> str:
    """Return the table of commands."""
    rows = [f"| `recon {name}` | {text} |" for name, text in COMMANDS.items()]
    return "\n".join(["| command | |", "|---|---|", *rows])


def exit_codes() -> str:
    """Return the table of exit codes."""
    rows = [f"| {int(code)} | {_EXITS[code]} |" for code in ExitCode]
    return "\n".join(["| exit code | |", "|---|---|", *rows])


def settings() -> str:
    """Return the table of settings: the keys of each section."""
    rows = [
        f"| `{section}` | {', '.join(f'`{key}`' for key in keys_of(section))} |"
        for section in SECTIONS
    ]
    return "\n".join(["| section | keys |", "|---|---|", *rows])


def imports() -> str:
    """Return the table of imports: the columns of each kind."""
    rows = []
    for name, kind in KINDS.items():
        needed = [f"`{column.name}`" for column in kind.columns if column.needed]
        further = [f"`{column.name}`" for column in kind.columns if not column.needed]
        if kind.sides:
            debit, credit = (f"`{half}`" for half in kind.sides.names)
            whole = f"`{kind.sides.whole.name}`"
            further.append(f"{debit} and {credit} in place of {whole}")
            further.append(f"`{DIRECTION}` (a word) beside {whole}")
        if kind.running:
            further.append(f"`{kind.running.name}` (after the entry)")
        said = ", ".join(needed)
        if name == "events":
            said = "JSON lines of the webhook envelope: `created`, `type`, `data`"
            further = []
        rows.append(f"| `{name}` | {said} | {', '.join(further)} |")
    head = ["| kind | columns | optional |", "|---|---|---|"]
    return "\n".join([*head, *rows])


def checks() -> str:
    """Return every check with what it finds, why it matters and what to do."""
    lines = []
    for check in sorted(shipped_checks(), key=lambda each: (each.product, each.name)):
        lines += [
            f"### `{check.name}`",
            "",
            f"{check.product}, {check.severity}, one a {check.record}.",
            "",
            f"- Finds {check.finds}",
            f"- Why: {check.why}",
            f"- What to do: {check.do}",
            *([f"- False alarm: {check.false_alarm}"] if check.false_alarm else []),
            f"- Source: {check.source}",
            "",
        ]
    return "\n".join(lines).rstrip()


PARTS: dict[str, dict[str, Callable[[], str]]] = {
    "README.md": {
        "commands": commands,
        "exit codes": exit_codes,
        "settings": settings,
        "imports": imports,
    },
    "queries/README.md": {"checks": checks},
}


def between(name: str) -> re.Pattern[str]:
    """Return the pattern of a part: its marks and what stands between them."""
    return re.compile(f"(<!-- {name} -->\n).*?(\n<!-- /{name} -->)", re.DOTALL)


def filled(text: str, parts: dict[str, Callable[[], str]]) -> str:
    """Return a document with each part made anew; ValueError if one has no marks."""
    for name, make in parts.items():
        made = make()
        text, count = between(name).subn(lambda m, new=made: m[1] + new + m[2], text)
        if count != 1:
            raise ValueError(f"the part {name!r} must stand once, it stands {count}")
    return text


if __name__ == "__main__":
    for document, document_parts in PARTS.items():
        path = ROOT / document
        path.write_text(filled(path.read_text("utf-8"), document_parts), "utf-8")
