"""What the columns of a file are called: our names, or those that settings give.

`[imports.columns.<kind>]` names a column of ours by its header in the business's own
files. A header is found to the letter, else by its letters alone: spaces, half-spaces,
elongations, vowel and direction marks and capitals do not count, an Arabic yeh or kaf
is the Persian one, and digits of every script are equal. `[imports.values.<kind>]`
gives a column's value in each row of files that have no such column, and
`[imports.words.<kind>.<column>]` says what a cell's words mean, found like a header.
Where a layout is named these tables are those of `[imports.layouts.<name>]`, and every
message says so: what is written beside them would change nothing.
"""

import json
import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache

from recon.errors import SettingsError
from recon.imports.formats.rows import Refusal, shortened

PERSIAN = str.maketrans(
    {
        "\u064a": "\u06cc",  # Arabic yeh
        "\u0649": "\u06cc",  # alef maksura
        "\u0643": "\u06a9",  # Arabic kaf
        "\u0629": "\u0647",  # teh marbuta
        "\u06d5": "\u0647",  # ae, what is left of a heh with a hamza above
        "\u06c1": "\u0647",  # heh goal
        "\u0640": None,  # tatweel
    }
)
_NEW_WORD = re.compile(r"(?<=[a-z])(?=[A-Z])")  # as in amountToman
_TOMAN = re.compile(r"(?<![a-z])(?:t[ou]mans?|irt|tmn)(?![a-z])")
_TOMAN_LETTERS = ("تومان", "تومن")
_SILENT = frozenset({"Mn", "Me", "Cf", "Cc", "Zs", "Zl", "Zp"})
_MOST_SHOWN = 20
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")

IMPORTS = "imports"
"""The section of the settings whose tables say how files are read."""


def section_of(layout: str | None) -> str:
    """Return the section whose tables count: that of a layout, where one is named."""
    if layout is None:
        return IMPORTS
    is_bare = _BARE_KEY.fullmatch(layout)
    key = layout if is_bare else json.dumps(layout, ensure_ascii=False)
    return f"{IMPORTS}.layouts.{key}"


@lru_cache(maxsize=4096)
def letters(header: str) -> str:
    """Return what of a header counts where it is not written to the letter."""
    small = unicodedata.normalize("NFKD", header).casefold()
    plain = unicodedata.normalize("NFKD", small)
    heard = [sign for sign in plain if unicodedata.category(sign) not in _SILENT]
    digits = [str(unicodedata.digit(sign, sign)) for sign in heard]
    return "".join(digits).translate(PERSIAN)


def says_toman(header: str) -> bool:
    """Tell whether a header says that what stands under it is in toman."""
    plain = unicodedata.normalize("NFKD", _NEW_WORD.sub(" ", header)).casefold()
    marked = "".join(sign for sign in plain if not unicodedata.combining(sign))
    heard = letters(header)
    return bool(_TOMAN.search(marked)) or any(map(heard.__contains__, _TOMAN_LETTERS))


def place_of(
    header: str, names: Sequence[str], section: str, purpose: str = ""
) -> int | None:
    """Return where a header is among a file's names: to the letter, else by letters.

    None where it is not there. Refusal where it fits two of them, with the section of
    the settings that names it, and for what.
    """
    if header in names:
        return names.index(header)
    heard = letters(header)
    found = [at for at, name in enumerate(names) if letters(name) == heard]
    if len(found) > 1:
        both = " and ".join(shortened(names[at]) for at in found)
        raise Refusal(
            f"the header has {both}: {section} names {shortened(header)}{purpose}, "
            "and that may be either"
        )
    return found[0] if found else None


def there_are(names: Sequence[str]) -> str:
    """Say which names a file has, after those that it lacks; not all of many."""
    return f"(there are {', '.join(map(shortened, names[:_MOST_SHOWN])) or 'none'})"


class Naming:
    """The columns of one kind, and the headers that settings give some of them."""

    def __init__(
        self,
        kind: str,
        columns: Collection[str],
        given: Mapping[str, str],
        values: Mapping[str, str] | None = None,
        words: Mapping[str, Mapping[str, str]] | None = None,
        section: str = IMPORTS,
    ) -> None:
        """Take `given`, our column → the file's header, and `values`, → every row's.

        `words` are those of a column: the file's → ours. SettingsError names a bad one:
        a column that the kind does not have, an empty header or value, one header for
        two columns, one word of the file for two of ours.
        `section` is the one of the settings that has these tables.
        """
        self._kind, self.section = kind, section
        self._columns = dict.fromkeys(columns)
        self.given = dict(given)
        self.values = dict(values or {})
        self._refuse_headers()
        self._refuse_values()
        self.words = {
            column: self._heard(column, said) for column, said in (words or {}).items()
        }

    def table(self, name: str) -> str:
        """Return what settings call the table of that name for these files."""
        return f"{self.section}.{name}.{self._kind}"

    @property
    def way(self) -> dict[str, str]:
        """Return what makes a file read in this way another one than in another."""
        values = {f"{name}=": each for name, each in self.values.items()}
        words = {
            f"{name}: {said}": ours
            for name, each in self.words.items()
            for said, ours in each.items()
        }
        return self.given | values | words

    def _heard(self, column: str, words: Mapping[str, str]) -> dict[str, str]:
        """Return the words of a column by what of them counts."""
        section = self.table("words")
        self._refuse_unknown(section, column)
        found: dict[str, str] = {}
        for said, ours in words.items():
            if found.setdefault(letters(said), ours) != ours:
                raise SettingsError(
                    f"{section}.{column}: {shortened(said)} is {ours!r} and "
                    f"{found[letters(said)]!r}"
                )
        return found

    def _refuse_values(self) -> None:
        section = self.table("values")
        for column, value in self.values.items():
            self._refuse_unknown(section, column)
            if not value.strip():
                raise SettingsError(f"{section}.{column}: the value is empty")

    def _refuse_unknown(self, section: str, column: str) -> None:
        if column not in self._columns:
            raise SettingsError(
                f"{section}: there is no column {column!r}; "
                f"it may be {', '.join(self._columns)}"
            )

    def _refuse_headers(self) -> None:
        taken: dict[str, str] = {}
        section = self.table("columns")
        for column, header in self.given.items():
            self._refuse_unknown(section, column)
            heard = letters(header)
            if not heard:
                raise SettingsError(f"{section}.{column}: the name is empty")
            if heard in taken:
                raise SettingsError(
                    f"{section}: {taken[heard]} and {column} have one header, "
                    f"{shortened(header)}"
                )
            taken[heard] = column

    def places(self, names: Sequence[str]) -> dict[str, int]:
        """Return where each column of ours is among a file's names, if it is there.

        A column under a header of the settings is not looked for under its own name,
        and a header that feeds one column feeds no other. Refusal where a header of
        the settings fits two names of the file.
        """
        given: dict[str, int] = {}
        for column, header in self.given.items():
            section, purpose = self.table("columns"), f" for {column}"
            place = place_of(header, names, section, purpose)
            if place is not None:
                given[column] = place
        fed = set(given.values())
        own = self._columns.keys() - self.given.keys()
        return given | {
            name: place
            for place, name in enumerate(names)
            if name in own and place not in fed
        }

    def unheard(
        self, names: Sequence[str], places: Mapping[str, int]
    ) -> list[tuple[str, str]]:
        """Return columns of ours that are absent, with a header almost named so.

        `Currency` feeds no column, and amounts in toman would pass for rials.
        """
        fed = set(places.values())
        further = (name for at, name in enumerate(names) if at not in fed)
        almost = {letters(name): name for name in further}
        return [
            (column, almost[letters(column)])
            for column in sorted(self._columns.keys() - places.keys())
            if letters(column) in almost
        ]

    def shown(self, column: str) -> str:
        """Return a column for messages: its header in the file, and its name."""
        header = self.given.get(column)
        return column if header is None else f"{header} ({column})"

    def refusal(self, reason: str, column: str) -> Refusal:
        """Return why a row or header is refused, for a column of ours."""
        return Refusal(reason, column=self.shown(column))

    def of_words(self, column: str) -> str:
        """Say, after a reason, where settings tell what a column's words mean."""
        return f"; [{self.table('words')}.{column}] says what other words mean"

    def missing(self, columns: Sequence[str], names: Sequence[str]) -> str:
        """Say that columns are not among a file's names; one line, by both names."""
        given = [column for column in columns if column in self.given]
        plain = [column for column in columns if column not in self.given]
        section = self.table("columns")
        told = [f"required columns are missing: {', '.join(plain)}"] if plain else []
        if given:
            pairs = ", ".join(
                f"{shortened(self.given[column])} for {column}" for column in given
            )
            told.append(f"{section} names columns that are missing: {pairs}")
        do = f"; [{section}] says what a file calls them" if plain else ""
        return f"{'; '.join(told)} {there_are(names)}{do}"
