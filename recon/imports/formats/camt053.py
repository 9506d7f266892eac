"""camt.053 bank statements (ISO 20022 XML), of any version: the booked entries."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO
from xml.parsers import expat

from recon.imports.formats.camt_pages import PageBalances, Pagination
from recon.imports.formats.rows import MAX_CELL_BYTES, Refusal, Row, Sheet, shortened
from recon.imports.formats.statement_pages import StatementPage, StatementPages
from recon.imports.formats.statements import NAMES, Entry, Statement, account_of

_CHUNK = 2**16
_MAX_DEPTH = 64
_MESSAGE = "Document/BkToCstmrStmt"
_MESSAGE_PAGE = f"{_MESSAGE}/GrpHdr/MsgPgntn"
_STATEMENT = f"{_MESSAGE}/Stmt"
_STATEMENT_PAGE = f"{_STATEMENT}/StmtPgntn"
_CURRENCY = f"{_STATEMENT}/Acct/Ccy"
_ENTRY = f"{_STATEMENT}/Ntry"
_ADDED = "SplmtryData"
_BALANCE = f"{_STATEMENT}/Bal"
_DATE_WITH_ZONE = re.compile(r"(\d{4}-\d{2}-\d{2})(Z|[+-]\d{2}:\d{2})")
_BOOKED = ("BOOK", "")
_NOT_YET = ("PDNG", "FUTR", "INFO")
_MOST_STATUSES = 3  # that a warning names
_SIGNS = ("-", "+", "\u2212")
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
    "Sts/Prtry": "other_status",
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
    own direction, for reversals too. An amount that names no currency is in that of the
    account. Its description is its texts, and the names of its
    other side: who paid a credit, whom a debit paid, of a reversal the other way round.
    Entries that are not booked are left out and counted in a warning, a status that the
    format does not know by its name. Balances that do not add up are a warning, and so
    is a page that is not in the file: before another one, or after the last, which says
    that it is not the last one.
    """
    reading = _Reading()
    rows = _rows(file, reading)
    return Sheet(NAMES, rows, reading.warnings, unsound=reading.unsound)


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
    reading.warnings.extend(reading.left_out())
    reading.warnings.extend(reading.unfinished())


@dataclass
class _Reading:
    """The state of reading one document as its elements open and close."""

    warnings: list[str] = field(default_factory=list)
    unsound: list[int] = field(default_factory=list)
    pending: int = 0
    nameless: int = 0  # entries of which some names are not kept
    found: bool = False
    _depth: int = 0
    _path: list[str] = field(default_factory=list)
    _texts: list[str] = field(default_factory=list)
    _length: int = 0
    _line: int = 0
    _currency: str = ""
    _of_account: str = ""  # the currency of its account
    _statement: Statement = field(default_factory=Statement)
    _entry: dict[str, list[str]] = field(default_factory=dict)
    _unknown: Counter[str] = field(default_factory=Counter)  # entries, by their status
    _balance: dict[str, str] = field(default_factory=dict)
    _message_page: Pagination = field(default_factory=Pagination)
    _balances: PageBalances = field(default_factory=PageBalances)
    _pages: StatementPages = field(default_factory=StatementPages)
    _ended: Counter[str] = field(default_factory=Counter)  # statements, by account
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
        if local == "Document":
            self._begin_document()
        self._path.append(local)
        self._texts, self._length = [], 0
        place = "/".join(self._path)
        if place == _MESSAGE:
            self._message_page = Pagination()
        elif place == _STATEMENT:
            number = self._statement.number + self.found
            self._statement, self.found = Statement(number=number), True
            self._balances = PageBalances(self._message_page)
            self._of_account = ""
        elif place == _STATEMENT_PAGE:
            self._balances.says = Pagination(is_of_statement=True)
        elif place == _ENTRY:
            self._entry, self._line = {}, self._here
        elif place == _BALANCE:
            self._balance, self._line = {}, self._here
        elif place in (f"{_ENTRY}/Amt", f"{_BALANCE}/Amt"):
            self._currency = attributes.get("Ccy", "").strip() or self._of_account

    def _begin_document(self) -> None:
        """Begin a document, whatever envelope it stands in.

        One within a message is what a bank adds to an entry: no part of the statement.
        """
        is_within = "/".join(self._path).startswith(_MESSAGE)
        if not is_within:
            self._path = []
        elif _ADDED not in self._path:
            raise Refusal("has a Document within another", line=self._here)

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
        if place == _ENTRY:
            self._finish_entry()
        elif place == _BALANCE:
            self._balances.take(self._balance, self._currency, self._line)
        elif place == _STATEMENT:
            self._finish_statement()
        elif text:
            self._keep(place, text)

    def _keep(self, place: str, text: str) -> None:
        parent, _, name = place.rpartition("/")
        if place.startswith(f"{_STATEMENT}/Acct/Id/"):
            if place.endswith(("/IBAN", "/Othr/Id")):
                self._statement.account = account_of(text)
        elif place == _CURRENCY:
            self._of_account = text
        elif place.startswith(f"{_ENTRY}/"):
            kept = _TEXTS.get(place.removeprefix(f"{_ENTRY}/"))
            if kept:
                self._entry.setdefault(kept, []).append(text)
        elif place.startswith(f"{_BALANCE}/"):
            self._balance[place.removeprefix(f"{_BALANCE}/")] = text
        elif parent == _MESSAGE_PAGE:
            self._message_page.take(name, text)
        elif parent == _STATEMENT_PAGE:
            self._balances.says.take(name, text)

    def _finish_entry(self) -> None:
        if not self._is_booked():
            return
        direction = self._of("direction")
        if direction not in ("CRDT", "DBIT"):
            raise Refusal(
                f"{shortened(direction)} is not allowed: CRDT, DBIT",
                line=self._line,
                column="CdtDbtInd",
            )
        amount = self._of("amount")
        if amount.startswith(_SIGNS):
            raise Refusal(
                f"{shortened(amount)} is not allowed: an amount without a sign, since "
                "CdtDbtInd says which way it went",
                line=self._line,
                column="Amt",
            )
        statement = self._statement
        statement.currency = self._currency
        if statement.opening is None:  # balances stand before the entries
            statement.opening = self._page.opening.value
        booked_at = self._of("booked_at") or self._of("valued_at")
        dated = _DATE_WITH_ZONE.fullmatch(booked_at)
        texts = dict.fromkeys(self._entry.get("description", []))
        text = " ".join(texts)
        names = (name for name in self._names(direction, text) if name not in texts)
        entry = Entry(
            line=self._line,
            booked_at=dated[1] if dated else booked_at,  # a day, wherever written
            amount=f"-{amount}" if amount and direction == "DBIT" else amount,
            reference=self._of("reference") or self._of("other_reference"),
            description=" ".join([*texts, *names]),
            described=text,
        )
        self._rows.append(statement.row(entry))

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

    def _is_booked(self) -> bool:
        """Tell whether the entry is booked; count it where it is not.

        A bank's own status may mean anything, so it is none that is booked.
        """
        status, other = self._of("status"), self._of("other_status")
        if not other and status in _BOOKED:
            return True
        if not other and status in _NOT_YET:
            self.pending += 1
        else:
            self._unknown[shortened(other or status)] += 1
        return False

    def left_out(self) -> list[str]:
        """Return which entries are left out for a status that is not known."""
        found = self._unknown.most_common(_MOST_STATUSES)
        rest = self._unknown.total() - sum(count for _, count in found)
        told = [f"{count:,} of the entries of status {name}" for name, count in found]
        told += [f"{rest:,} of others"] if rest else []
        return [f"left out, as only BOOK is booked: {', '.join(told)}"] if told else []

    def _finish_statement(self) -> None:
        statement, account = self._statement, self._statement.account
        page = self._page
        statement.opening, statement.closing = page.opening.value, page.closing.value
        self.warnings += self._balances.doubts(account)
        self.warnings += statement.doubts()
        self.unsound += [] if statement.adds_up else [statement.number]
        currency = self._balances.currency or statement.currency
        self.warnings += self._pages.gap(account, currency, page)
        self._ended[account] += self._balances.says.is_last is True

    @property
    def _page(self) -> StatementPage:
        return self._balances.page(self._ended[self._statement.account])

    def unfinished(self) -> list[str]:
        """Tell of statements that go on after the end of the file."""
        return [
            f"it ends with {page.name}, which is not the last one (LastPgInd), so a "
            f"page of the statement is not in it ({account})"
            for account, page in self._pages.unfinished()
        ]

    def _of(self, name: str) -> str:
        return self._entry.get(name, [""])[0]

    @property
    def _here(self) -> int:
        return int(self._parser.CurrentLineNumber)
