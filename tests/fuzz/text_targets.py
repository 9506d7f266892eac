"""Settings, periods, instants and command lines: what people write."""

import io
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from random import Random

from recon import setting_files, setting_values, times
from recon.cli.group import COMMANDS, run
from recon.close import periods
from recon.errors import ReconError
from recon.imports.kinds import KINDS
from recon.settings import ENVIRONMENT_PREFIX, SECTIONS, keys_of
from tests.fuzz.mutation import bad_text, damaged, words
from tests.fuzz.tries import REFUSED, TAKEN, Try, Wrong, one_line

STARTER = Path(setting_files.__file__).parent / "starter" / "recon.toml"
ZONE = times.zone("Asia/Tehran")

_FULL = """\
[business]
name = "shop"
timezone = "Asia/Tehran"
calendar = "jalali"
[lake]
path = "lake"
full_every = "7d"
[unified]
base_url = "https://api.provider.example"
api_key = "k-1"
per_page = 100
list_parameters = "query"
[cash_in]
base_url = "https://api.provider.example"
settled_statuses = ["DONE", "OK"]
[gateway]
timezone = "UTC"
[http]
concurrency = 8
timeout = "30s"
rate_limit = 20.5
[checks]
tolerance = 0
clock_skew = "5m"
disabled = ["hosted_unverified"]
[checks.severity]
payment_redirect_stale = "warning"
[imports.columns.books]
reference = "Order number"
[engine]
memory_limit = "2GiB"
[reports]
excel = true
[notify]
urls = ["json://127.0.0.1"]
"""

_VALUES = ("[]", "{}", '""', "1", "-1", "true", "1.5", "inf", "2026-01-01", "[[1]]")


@contextmanager
def settings_files(folder: Path) -> Iterator[Try]:
    """A damaged `recon.toml`."""
    path = folder / "recon.toml"
    starter = STARTER.read_text("utf-8").replace("\n# ", "\n").encode()

    def attempt(chance: Random) -> str:
        sound = chance.choice((_FULL.encode(), starter))
        if chance.random() < 0.5:
            content = damaged(sound, chance)
        else:
            lines = _FULL.splitlines()
            at = chance.randrange(len(lines))
            name = lines[at].partition("=")[0] or "x"
            value = chance.choice((*_VALUES, repr(words(chance)), "9" * 5000))
            lines[at] = f"{name}= {value}"
            content = "\n".join(lines).encode(errors="replace")
        path.write_bytes(content)
        return _loaded(path, {})

    yield attempt


@contextmanager
def environments(folder: Path) -> Iterator[Try]:
    """Damaged variables over a sound file."""
    path = folder / "recon.toml"
    path.write_text(_FULL, "utf-8")
    keys = [(section, key) for section in SECTIONS for key in keys_of(section)]

    def attempt(chance: Random) -> str:
        given = {}
        for _ in range(chance.randint(1, 3)):
            section, key = chance.choice(keys)
            name = f"{ENVIRONMENT_PREFIX}{section}__{key}".upper()
            if chance.random() < 0.1:
                name = ENVIRONMENT_PREFIX + words(chance, 2)
            if chance.random() < 0.1:
                name += f"__{words(chance, 1)}"
            value = chance.choice((words(chance), chance.choice(_VALUES)))
            given[name] = "[" * 3000 if chance.random() < 0.05 else value
        return _loaded(path, given)

    yield attempt


def _loaded(path: Path, environment: Mapping[str, str]) -> str:
    try:
        found = setting_files.load(path, environment)
        _ = (found.lake_path, found.reports_path, found.cache_path, repr(found))
    except ReconError as error:
        one_line(str(error))
        return REFUSED
    return TAKEN


@contextmanager
def values(_: Path) -> Iterator[Try]:
    """Periods, instants, durations, sizes and names by themselves."""
    readers = {
        "period": periods.parse,
        "instant": lambda text: times.parse_instant(text, ZONE),
        "jalali": lambda text: times.parse_instant(text, ZONE, jalali=True),
        "size": setting_values.size,
        "duration": setting_values.duration,
        "rate": setting_values.rate,
        "url": setting_values.url,
        "name": setting_values.name,
        "zone": setting_values.zone,
        "texts": setting_values.texts,
        "columns": setting_values.column_names,
        "path": setting_values.path,
    }
    sound = ("2026-10", "1405-07-01", "2026-10-01..2026-10-31", "5m", "2GiB", "20.5")
    whole = (*sound, "https://api.example/v1", "2026-10-01T10:00:00+03:30", '["a"]')

    def attempt(chance: Random) -> str:
        name = chance.choice(list(readers))
        text = chance.choice((words(chance), bad_text(chance.choice(whole), chance)))
        try:
            readers[name](text)
        except (ValueError, ReconError):
            return REFUSED
        return TAKEN

    yield attempt


_TORN = 0.05
_SERVING = {"demo", "lab", "sandbox", "webhooks"}
"""Commands that start something long; only how they are called is tried."""

_OPTIONS = (
    *("--json", "--dry-run", "--full", "--help", "--config", "--as-of", "--from"),
    *("--to", "--csv", "--deep", "--sweep", "--restore", "--quiet", "--verbose"),
    *("--check", "--severity", "--status", "--by", "--reason", "--carry-forward"),
    *("--restatements", "--engine", "--port", "--seed", "--url", "-h", "--version"),
)
_ARGUMENTS = (
    *("list", "show", "explain", "acknowledge", "apply", "checkouts", "mandates"),
    *("select 1", "select * from breaks", "2026-09", "duckdb", "register", "none"),
    *("file.csv", "recon.toml", ".", "error", "open", *KINDS),
)


@contextmanager
def command_lines(folder: Path) -> Iterator[Try]:
    """Calls of `recon` in a folder with an empty lake, as a shell would make them."""
    (folder / "recon.toml").write_text('[business]\nname = "shop"\n', "utf-8")
    (folder / "file.csv").write_text("at,amount,kind,description\n2026-10-01,5,a,b\n")
    here = Path.cwd()
    os.chdir(folder)

    def attempt(chance: Random) -> str:
        command = chance.choice((*COMMANDS, *COMMANDS, words(chance, 1)))
        given = [command]
        given += [_word(chance) for _ in range(chance.randint(0, 4))]
        if command in _SERVING:
            given += ["--no-such-option"]
        given = [_passed(each, chance) for each in given]
        if command == "lab" or "init" in given or "\x00" in "".join(given):
            return REFUSED  # the lab takes any option; a shell passes no NUL
        return _called(given)

    try:
        yield attempt
    finally:
        os.chdir(here)


def _passed(text: str, chance: Random) -> str:
    """Return a text as a shell passes it: now and then with a byte of no UTF-8."""
    plain = text.encode(errors="replace").decode()
    return f"{plain}\udcff" if chance.random() < _TORN else plain


def _word(chance: Random) -> str:
    """Return an option, an argument, or what is neither."""
    return chance.choice(
        (chance.choice(_OPTIONS), chance.choice(_ARGUMENTS), words(chance, 2))
    )


def _called(given: list[str]) -> str:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = run(given)
    said = err.getvalue()
    if code not in {0, 1, 2, 3, 4}:
        raise Wrong(f"exit code {code} of {given!r}")
    if "Traceback" in said or "defect of recon" in said:
        raise Wrong(f"{given!r}: {said[-600:]}")
    if code == 2:
        last = said.rstrip("\n").rpartition("\n")[2]
        one_line(last)
        if not last.startswith("recon: "):
            raise Wrong(f"{given!r} said {last!r}")
    return REFUSED if code in {2, 4} else TAKEN
