"""The SQL files under `queries/`: their names, what each reads, and their order.

A file's stem is its model's name in `staging` and `intermediate`; a file of `checks`
is the model `check_<stem>`, one of `reports` is `report_<stem>`. Models read each
other by these names, after `from` or `join`.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise, takewhile
from pathlib import Path

import duckdb

from recon.assets import queries_folder, sql_files
from recon.errors import UsageError

logging.getLogger("sqlglot").setLevel(logging.ERROR)  # it warns of `explain`

_BEFORE_NAMES = ("from", "join")
_COMMENTS = ("--", "/*")
_OPENING = ("'", '"', "$", "/*")
_STREAMED = "-- streamed: "
_KEPT = "-- kept: "
_PREFIXES = {
    "staging": "",
    "intermediate": "",
    "checks": "check_",
    "reports": "report_",
}


@dataclass(frozen=True)
class Model:
    """One SQL file; `reads` are the names it selects from, itself never among them."""

    name: str
    path: Path
    sql: str
    reads: frozenset[str]

    @property
    def place(self) -> str:
        """Return the file as people know it: `queries/checks/x.sql`."""
        return "/".join(self.path.parts[-3:])

    @property
    def is_streamed(self) -> bool:
        """Tell whether its header says that each reader computes it anew.

        It is so of what is large and cheap, a filter of the lake's files: to keep it
        would cost more than to read its columns again.
        """
        return self._says(_STREAMED)

    @property
    def is_kept(self) -> bool:
        """Tell whether its header says that it is stored for a single reader, too.

        It is so of a short list that is sought in very many rows: an engine that knows
        how short it is reads few of them. And it is so of what the steps of its reader
        name very often: an engine may compute it, and plan it, for each.
        """
        return self._says(_KEPT)

    def _says(self, word: str) -> bool:
        header = takewhile(lambda line: line.startswith("--"), self.sql.splitlines())
        return any(line.startswith(word) for line in header)


def names_read(sql: str, place: str) -> frozenset[str]:
    """Return the names that follow `from` and `join`; CTEs and columns among them.

    Only names of models and tables count to the caller, so a few too many do no harm.
    Raises UsageError naming `place` where the text ends within a word.
    """
    words = _words(sql)
    if words and words[-1].startswith(_OPENING):
        _refuse_open_end(sql, place)
    said = [word for word in words if not word.startswith(_COMMENTS)]
    return frozenset(
        _unquoted(word).lower()
        for before, word in pairwise(said)
        if before.lower() in _BEFORE_NAMES
    )


def tables_named(sql: str, place: str) -> frozenset[str]:
    """Return the names of the tables that anybody's query may read, however it does.

    Beside those of `names_read` they are those after a comma, `summarize` or `pivot`.
    Raises UsageError as that does.
    """
    import sqlglot  # noqa: PLC0415 - only what people ask needs it
    from sqlglot import exp  # noqa: PLC0415
    from sqlglot.errors import SqlglotError  # noqa: PLC0415

    names = names_read(sql, place)
    try:
        trees = [tree for tree in sqlglot.parse(sql, read="duckdb") if tree]
    except SqlglotError:
        return names  # the engine itself will say what is wrong with it
    tables = (table for tree in trees for table in tree.find_all(exp.Table))
    return names.union(table.name.lower() for table in tables)


def _words(sql: str) -> list[str]:
    """Return a text's words and comments, as the engine splits it."""
    raw = sql.encode()
    starts = [start for start, _ in duckdb.tokenize(sql)]
    return [raw[at:end].decode().strip() for at, end in pairwise([*starts, len(raw)])]


def _unquoted(word: str) -> str:
    """Return a name without the quotation marks that it may be written in."""
    return word[1:-1].replace('""', '"') if word.startswith('"') else word


def _refuse_open_end(sql: str, place: str) -> None:
    """Refuse a text of which the last quotation or comment has no end."""
    try:
        duckdb.extract_statements(sql)
    except duckdb.ParserException as error:
        raise UsageError(f"{place}: {_first_line(error)}") from None


class Catalogue:
    """All models of a folder, and the order in which they build on each other."""

    def __init__(self, models: Mapping[str, Model]) -> None:
        self.models = models
        self._refuse_cycles()
        self.kept = self._kept()

    @classmethod
    def of(cls, folder: Path) -> "Catalogue":
        """Read a folder laid out as `queries/`; UsageError names a file that is bad."""
        models: dict[str, Model] = {}
        for kind, prefix in _PREFIXES.items():
            for path in sql_files(folder / kind):
                model = _read(path, prefix + path.stem)
                if model.name in models:
                    raise UsageError(
                        f"{model.place}: {models[model.name].place} has this name too"
                    )
                models[model.name] = model
        return cls(models)

    def checks(self) -> list[Model]:
        """Return the models of the checks, in the order of their names."""
        return [
            model for name, model in self.models.items() if name.startswith("check_")
        ]

    def _kept(self) -> frozenset[str]:
        """Return the models that are worth keeping: computed more than once otherwise.

        What a streamed model reads is computed as often as the streamed one is read.
        """
        readers: dict[str, list[str]] = {name: [] for name in self.models}
        for model in self.models.values():
            for read in model.reads & self.models.keys():
                readers[read].append(model.name)

        @cache
        def uses(name: str) -> int:
            each = [
                uses(reader) if self.models[reader].is_streamed else 1
                for reader in readers[name]
            ]
            return max(1, sum(each))

        return frozenset(
            name
            for name, model in self.models.items()
            if model.is_kept or (not model.is_streamed and uses(name) > 1)
        )

    def _refuse_cycles(self) -> None:
        settled: set[str] = set()

        def walk(name: str, path: tuple[str, ...]) -> None:
            if name in path:
                circle = " → ".join([*path[path.index(name) :], name])
                place = self.models[name].place
                raise UsageError(f"{place}: the models read each other: {circle}")
            if name in self.models and name not in settled:
                for read in sorted(self.models[name].reads):
                    walk(read, (*path, name))
                settled.add(name)

        for name in self.models:
            walk(name, ())


@cache
def shipped_catalogue() -> Catalogue:
    """Return the models that travel with the package, read once.

    UsageError where no check is among them: nothing would be found.
    """
    folder = queries_folder()
    catalogue = Catalogue.of(folder)
    if not catalogue.checks():
        raise UsageError(f"{folder} has no checks: the installation is not whole")
    return catalogue


def _read(path: Path, name: str) -> Model:
    place = "/".join(path.parts[-3:])
    try:
        sql = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{place}: {error}") from None
    reads = names_read(sql, place)
    if name in reads:
        raise UsageError(f"{place}: the model reads itself")
    return Model(name=name, path=path, sql=sql.strip().rstrip(";"), reads=reads)


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]
