"""camt.053 bank statements (ISO 20022 XML), of any version: the booked entries."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO
from xml.parsers import expat

from recon.imports.formats.rows import MAX_CELL_BYTES, Refusal, Row, Sheet, shortened
from recon.imports.formats.statements import (
    NAMES,
    Statement,
    account_of,
    decimal_of,
)

_CHUNK = 2**16
_MAX_DEPTH = 64
_STATEMENT = "Document/BkToCstmrStmt/Stmt"
_ENTRY = f"{_STATEMENT}/Ntry"
_BALANCE = f"{_STATEMENT}/Bal"
_DATE_WITH_ZONE = re.compile(r"(\d{4}-\d{2}-\d{2})(Z|[+-]\d{2}:\d{2})")
_BOOKED = ("BOOK", "")
_PARTIES = "NtryDtls/TxDtls/RltdPties/"
_PAYERS, _PAYEES = ("Dbtr", "UltmtDbtr"), ("Cdtr", "UltmtCdtr")
_NAMED = ("Nm", "Pty/Nm")  # of older versions, and of newer ones
_TRUE = ("true", "1")
_MOST_NAME_BYTES = 2**18  # of an entry: one of a day's payments has thousands

_TEXTS = {  # what is kept of an entry, by its place under the entry
    "Amt": "amount",
    "CdtDbtInd": "direction",
    "Sts": "status",
    "Sts/Cd": "status",
    "BookgDt/Dt": "booked_at",
    "BookgDt/DtTm": "booked_at",
    "ValDt/Dt": "valued_at",
    "ValDt/DtTm": "valued_at",
    "AddtlNtryInf": "description",
    "NtryDtls/TxDtls/RmtInf/Ustrd": "description",
    "NtryDtls/TxDtls/AddtlTxInf": "description",
    "NtryRef": "other_reference",
    "AcctSvcrRef": "reference",
    "RvslInd": "reversal",
    **{
        f"{_PARTIES}{party}/{name}": party
        for party in (*_PAYERS, *_PAYEES)
        for name in _NAMED
    },
}


def read(file: BinaryIO) -> Sheet:
    """Read camt.053; a row's line is that of its `Ntry` element.

    An entry is booked on its booking date, else on its value date; its sign is its
    own direction, for reversals too. Its description is its texts, and the names of its
    other side: who paid a credit, whom a debit paid, of a reversal the other way round.
    Entries that are not booked yet are left out and counted in a warning, and so are
    balances that do not add up.
    """
    reading = _Reading()
    return Sheet(NAMES, _rows(file, reading), reading.warnings)


def _rows(file: BinaryIO, reading: "_Reading") -> Iterator[Row]:
    while chunk := file.read(_CHUNK):
        yield from reading.feed(chunk)
    yield from reading.feed(b"", final=True)
    if not reading.found:
        raise Refusal("is XML without a camt.053 statement (BkToCstmrStmt)", line=1)
    if reading.nameless:
        reading.warnings.append(
            "have more names of payers or payees than are kept: "
            f"{reading.nameless:,} of the entries"
        )
    if reading.pending:
        reading.warnings.append(
            f"not booked yet and left out: {reading.pending:,} of the entries"
        )


@dataclass
class _Reading:
    """The state of reading one document as its elements open and close."""

    warnings: list[str] = field(default_factory=list)
    pending: int = 0
    nameless: int = 0  # entries of which some names are not kept
    found: bool = False
    _depth: int = 0
    _path: list[str] = field(default_factory=list)
    _texts: list[str] = field(default_factory=list)
    _length: int = 0
    _line: int = 0
    _currency: str = ""
    _statement: Statement = field(default_factory=Statement)
    _entry: dict[str, list[str]] = field(default_factory=dict)
    _balance: dict[str, str] = field(default_factory=dict)
    _rows: list[Row] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._parser: Any = expat.ParserCreate("UTF-8", " ")
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._open
        self._parser.EndElementHandler = self._close
        self._parser.CharacterDataHandler = self._text
        self._parser.StartDoctypeDeclHandler = self._doctype

    def feed(self, chunk: bytes, *, final: bool = False) -> list[Row]:
        """Read on and return the rows that were completed."""
        try:
            self._parser.Parse(chunk, final)
        except expat.ExpatError as error:
            reason = expat.ErrorString(error.code)
            raise Refusal(f"is not UTF-8 XML: {reason}", line=error.lineno) from None
        rows, self._rows = self._rows, []
        return rows

    def _doctype(self, *_: object) -> None:
        raise Refusal("has a document type; a bank statement has none", line=1)

    def _open(self, name: str, attributes: dict[str, str]) -> None:
        local = name.rpartition(" ")[2]
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise Refusal("is nested too deeply", line=self._here)
        if local == "Document":  # whatever envelope it stands in
            self._path = []
        self._path.append(local)
        self._texts, self._length = [], 0
        place = "/".join(self._path)
        if place == _STATEMENT:
            self._statement, self.found = Statement(), True
        elif place == _ENTRY:
            self._entry, self._line = {}, self._here
        elif place == _BALANCE:
            self._balance = {}
        elif place in (f"{_ENTRY}/Amt", f"{_BALANCE}/Amt"):
            self._currency = attributes.get("Ccy", "")

    def _text(self, text: str) -> None:
        self._length += len(text)
        if self._length > MAX_CELL_BYTES:
            raise Refusal("a text has more than 1 MiB", line=self._here)
        self._texts.append(text)

    def _close(self, _: str) -> None:
        place = "/".join(self._path)
        text = "".join(self._texts).strip()
        self._depth -= 1
        if self._path:
            self._path.pop()
        self._texts, self._length = [], 0
        if place.startswith(f"{_STATEMENT}/Acct/Id/") and text:
            if place.endswith(("/IBAN", "/Othr/Id")):
                self._statement.account = account_of(text)
        elif place == _ENTRY:
            self._finish_entry()
        elif place == _BALANCE:
            self._finish_balance()
        elif place == _STATEMENT:
            self.warnings += self._statement.doubts()
        elif place.startswith(f"{_ENTRY}/") and text:
            kept = _TEXTS.get(place.removeprefix(f"{_ENTRY}/"))
            if kept:
                self._entry.setdefault(kept, []).append(text)
        elif place.startswith(f"{_BALANCE}/") and text:
            self._balance[place.removeprefix(f"{_BALANCE}/")] = text

    def _finish_entry(self) -> None:
        if self._of("status") not in _BOOKED:
            self.pending += 1
            return
        direction = self._of("direction")
        if direction not in ("CRDT", "DBIT"):
            raise Refusal(
                f"{shortened(direction)} is not allowed: CRDT, DBIT",
                line=self._line,
                column="CdtDbtInd",
            )
        self._statement.currency = self._currency
        amount = self._of("amount")
        booked_at = self._of("booked_at") or self._of("valued_at")
        dated = _DATE_WITH_ZONE.fullmatch(booked_at)
        texts = dict.fromkeys(self._entry.get("description", []))
        text = " ".join(texts)
        names = (name for name in self._names(direction, text) if name not in texts)
        cells = self._statement.entry(
            f"{dated[1]}T00:00:00{dated[2]}" if dated else booked_at,
            f"-{amount}" if amount and direction == "DBIT" else amount,
            " ".join([*texts, *names]),
            self._of("reference") or self._of("other_reference"),
        )
        fault = self._statement.fault
        self._rows.append(Row(self._line, NAMES, cells, fault, described=text))

    def _names(self, direction: str, text: str) -> list[str]:
        """Return the names of an entry's other side, as many as fit beside its text."""
        is_reversal = self._of("reversal") in _TRUE
        is_paid_to = (direction == "DBIT") != is_reversal
        parties = _PAYEES if is_paid_to else _PAYERS
        found = dict.fromkeys(
            name for party in parties for name in self._entry.get(party, [])
        )
        kept, room = [], min(_MOST_NAME_BYTES, MAX_CELL_BYTES - len(text.encode()))
        for name in found:
            room -= len(f" {name}".encode())
            if room < 0:
                self.nameless += 1
                break
            kept.append(name)
        return kept

    def _finish_balance(self) -> None:
        sign = "-" if self._balance.get("CdtDbtInd") == "DBIT" else ""
        value = decimal_of(sign + self._balance.get("Amt", ""))
        match self._balance.get("Tp/CdOrPrtry/Cd"):
            case "OPBD":
                self._statement.opening = value
            case "PRCD" if self._statement.opening is None:
                self._statement.opening = value
            case "CLBD":
                self._statement.closing = value

    def _of(self, name: str) -> str:
        return self._entry.get(name, [""])[0]

    @property
    def _here(self) -> int:
        return int(self._parser.CurrentLineNumber)
