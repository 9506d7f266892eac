"""What is to be told of a file that is taken: doubts, and how its columns were read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from recon.imports.formats.rows import Cell, Refusal, is_blank
from recon.imports.spelling import unmarked
from recon.wording import counted

_MAX_HEADERS = 1_000
_MAX_WORDS = 100


@dataclass
class Notices:
    """Warnings in the making: how often each topic came, and where first.

    `columns` says which header of the file feeds which column of ours; `headers` are
    all of them, up to a bound. `given` are the values of columns that it does not have,
    `words` what its words were taken to mean, by column, up to a bound. `skipped_rows`
    is how many rows were passed over.
    """

    found: dict[str, list[int]] = field(default_factory=dict)  # topic: count, line
    columns: dict[str, str] = field(default_factory=dict)
    headers: dict[str, None] = field(default_factory=dict)
    given: dict[str, str] = field(default_factory=dict)
    words: dict[str, dict[str, str]] = field(default_factory=dict)
    skipped_rows: int = 0
    _has_toman: bool = False
    _blank_units: list[int] = field(default_factory=lambda: [0, 0])  # count, line

    def add(self, topic: str, line: int) -> None:
        """Count one case of a topic at a line of the file."""
        self.found.setdefault(topic, [0, line])[0] += 1

    def skip(self, reason: str, line: int) -> None:
        """Count a row that is passed over."""
        self.skipped_rows += 1
        self.add(reason, line)

    def word(self, column: str, said: str, ours: str) -> None:
        """Keep what a word of the file was taken to mean."""
        words = self.words.setdefault(column, {})
        if len(words) < _MAX_WORDS:
            words[said] = ours

    def unit(self, currency: Cell, line: int) -> None:
        """Keep what a row's currency says: an empty cell beside toman may be a slip.

        So looks one that was merged with the filled one above it.
        """
        if is_blank(currency):
            self._blank_units[0] += 1
            self._blank_units[1] = self._blank_units[1] or line
        self._has_toman |= unmarked(str(currency)).lower() == "toman"

    def refuse_blank_units(self, table: str) -> None:
        """Refuse a file whose currency is empty in some rows, and toman in others.

        `table` is where settings may state it.
        """
        count, line = self._blank_units
        if self._has_toman and count:
            raise Refusal(
                f"is empty in {counted(count, 'row')}, and toman in others: fill it, "
                "or state what an empty one means: --value currency=rial, or currency "
                f"in [{table}]",
                line=line,
                column="currency",
            )

    def saw(self, names: Sequence[str], places: Mapping[str, int]) -> None:
        """Keep the names of a header, and which of them feed columns of ours."""
        for column, at in places.items():
            self.columns.setdefault(column, names[at])
        room = _MAX_HEADERS - len(self.headers)
        self.headers.update(dict.fromkeys(names[: max(room, 0)]))

    @property
    def further(self) -> list[str]:
        """Return the headers that feed no column: they are kept as they are."""
        fed = set(self.columns.values())
        return [name for name in self.headers if name not in fed]

    def texts(self) -> list[str]:
        """Return each topic as a line for people."""
        return [
            f"{topic}: {counted(count, 'row')}, first at line {line}"
            for topic, (count, line) in self.found.items()
        ]
