"""Statements made by chance, of which every entry is known, in each way to write them.

Accounts, statements, pages and entries are drawn first. Both formats then write the
same ones, as banks do: with or without numbers of pages, with one message for a page or
for all, with reversals, entries that are not booked, balances nobody asked for.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from random import Random
from xml.sax.saxutils import escape

ACCOUNTS = (
    "IR820540102680020817909002",
    "IR062960000000100324200001",
    "IR740217876908633198199319",
)
WORDS = (
    "انتقال",
    "به کیف پول",
    "fee",
    "ref 17",
    "a & b <c>",
    "تسویه-ب",
    "x/y",
    "PAYER",
)


@dataclass(frozen=True)
class Entry:
    booked: date
    valued: date
    rials: int  # signed
    reference: str
    texts: tuple[str, ...]
    is_reversal: bool = False


@dataclass(frozen=True)
class Page:
    number: int
    is_last: bool
    opening: int
    closing: int
    entries: tuple[Entry, ...]


@dataclass
class Drawn:
    """What was drawn: statements, each of an account, a number and its pages."""

    chance: Random
    statements: list[tuple[str, int, list[Page]]] = field(default_factory=list)

    @property
    def entries(self) -> Iterator[tuple[str, Entry]]:
        for account, _, pages in self.statements:
            for page in pages:
                for entry in page.entries:
                    yield account, entry


def drawn(seed: int) -> Drawn:
    """Draw statements of one to three accounts, each of up to three days."""
    chance = Random(seed)
    found = Drawn(chance)
    ends = dict.fromkeys(ACCOUNTS, 0)
    accounts = chance.sample(ACCOUNTS, chance.randint(1, 3))
    for at in accounts:
        ends[at] = chance.choice((0, 5, -700, 10**12, chance.randrange(10**9)))
    for day in range(chance.randint(1, 3)):
        for account in accounts:
            pages = _pages(chance, ends[account], date(2025, 12, 30) + timedelta(day))
            ends[account] = pages[-1].closing
            found.statements.append((account, 270 + day, pages))
    return found


def _pages(chance: Random, opening: int, day: date) -> list[Page]:
    pages, count = [], chance.choice((1, 1, 2, 3))
    for number in range(1, count + 1):
        entries = [_entry(chance, day) for _ in range(chance.choice((0, 1, 2, 4)))]
        while count > 1 and not sum(entry.rials for entry in entries):
            entries.append(_entry(chance, day))
        closing = opening + sum(entry.rials for entry in entries)
        is_last = number == count
        pages.append(Page(number, is_last, opening, closing, tuple(entries)))
        opening = closing
    return pages


def _entry(chance: Random, day: date) -> Entry:
    rials = chance.choice((1, 7, 1_000, 25_000_000, chance.randrange(1, 10**11)))
    return Entry(
        booked=day,
        valued=day + timedelta(chance.randint(-2, 2)),
        rials=rials * chance.choice((1, -1)),
        reference=f"B{chance.randrange(10**9)}",
        texts=tuple(chance.sample(WORDS, chance.randint(0, 3))),
        is_reversal=chance.random() < 0.15,
    )


def mt940(found: Drawn, *, without: tuple[int, int] | None = None) -> str:
    """Write MT940, without one page if asked (places of statement and page)."""
    chance, texts = found.chance, []
    is_numbered, has_last = chance.random() < 0.7, chance.random() < 0.5
    for at, (account, number, pages) in enumerate(found.statements):
        for place, page in enumerate(pages):
            if (at, place) == without:
                continue
            own = [f":20:S{number}"] if not texts or chance.random() < 0.8 else []
            named = chance.choice((account, f"{account}IRR", f"BANKIRTH/{account}"))
            lines = [*own, f":25:{named}"]
            lines += [f":28C:{number}/{page.number}"] if is_numbered else []
            first, last = page.number == 1, page.is_last
            lines.append(f":60{'F' if first else 'M'}:{_swift(page.opening)}")
            for entry in page.entries:
                lines += _swift_entry(chance, entry)
            lines.append(f":62{'F' if last else 'M'}:{_swift(page.closing)}")
            lines += [f":64:{_swift(page.closing - 1)}"] if has_last else []
            lines += [":86:of the page"] if chance.random() < 0.2 else []
            end = "-}\n" if chance.random() < 0.5 else "-\n"
            texts.append("\n".join(lines) + "\n" + end)
    return "".join(texts)


def _swift(balance: int) -> str:
    return f"{'C' if balance >= 0 else 'D'}251230IRR{abs(balance)},"


def _swift_entry(chance: Random, entry: Entry) -> list[str]:
    sides = {True: ("C", "D"), False: ("D", "C")}[entry.rials > 0]
    mark = f"R{sides[1]}" if entry.is_reversal else sides[0]
    booked = f"{entry.booked:%m%d}"
    value = entry.valued
    if entry.booked == entry.valued and chance.random() < 0.5:
        booked = ""
    mark += chance.choice(("", "R"))
    cents = chance.choice((",", ",00", ",0"))
    line = f":61:{value:%y%m%d}{booked}{mark}{abs(entry.rials)}{cents}NTRF"
    text = [f":86:{' '.join(entry.texts)}"] if entry.texts else []
    if entry.texts and chance.random() < 0.5:
        text = [f":86:{entry.texts[0]}", *entry.texts[1:]]
    return [f"{line}NONREF//{entry.reference}", *text]


CODES = {
    "interim": ("OPBD", "CLBD", "ITBD", "ITBD"),
    "previous": ("PRCD", "CLBD", "ITBD", "ITBD"),
    "intermediate": ("OPBD", "CLBD", "OPBD INTM", "CLBD INTM"),
}
_STATUS = ("<Sts>{}</Sts>", "<Sts><Cd>{}</Cd></Sts>")
_NOT_BOOKED = ("PDNG", "FUTR", "INFO")


def camt(found: Drawn, *, without: tuple[int, int] | None = None) -> str:
    """Write camt.053, without one page if asked (places of statement and page)."""
    chance, messages = found.chance, []
    codes = chance.choice(tuple(CODES.values()))
    of_statement = chance.random() < 0.5
    for at, (account, number, pages) in enumerate(found.statements):
        for place, page in enumerate(pages):
            if (at, place) == without:
                continue
            is_told = len(pages) > 1 or chance.random() < 0.3
            says = (
                f"<PgNb>{page.number}</PgNb>"
                f"<LastPgInd>{str(page.is_last).lower()}</LastPgInd>"
            )
            text = _camt_page(chance, account, number, page, codes)
            if is_told and of_statement:
                text = text.replace("<Acct>", f"<StmtPgntn>{says}</StmtPgntn><Acct>", 1)
            head = f"<MsgId>{number}</MsgId>"
            if is_told and not of_statement:
                head += f"<MsgPgntn>{says}</MsgPgntn>"
            messages.append((f"<GrpHdr>{head}</GrpHdr>", f"<Stmt>{text}</Stmt>"))
    space = ' xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"'
    if of_statement and chance.random() < 0.5:
        whole = messages[0][0] + "\n".join(text for _, text in messages)
        documents = (
            f"<Document{space}><BkToCstmrStmt>{whole}</BkToCstmrStmt></Document>"
        )
    else:
        documents = "\n".join(
            f"<Document{space}><BkToCstmrStmt>{head}{text}</BkToCstmrStmt></Document>"
            for head, text in messages
        )
        documents = f"<Envelope>{documents}</Envelope>"
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{documents}\n'


def _camt_page(
    chance: Random, account: str, number: int, page: Page, codes: tuple[str, ...]
) -> str:
    opens = codes[0] if page.number == 1 else codes[2]
    closes = codes[1] if page.is_last else codes[3]
    balances = [_camt_balance(opens, page.opening), _camt_balance(closes, page.closing)]
    further = _camt_balance(chance.choice(("CLAV", "FWAV", "INFO")), 7)
    balances.insert(chance.randint(0, 2), further)
    entries = [_camt_entry(chance, entry) for entry in page.entries]
    if chance.random() < 0.3:
        left_out = _camt_entry(chance, _entry(chance, date(2025, 12, 30)))
        left_out = left_out.replace("BOOK", chance.choice(_NOT_BOOKED))
        entries.insert(chance.randint(0, len(entries)), left_out)
    named = f"<Id><IBAN>{account}</IBAN></Id>"
    if chance.random() < 0.3:
        named = f"<Id><Othr><Id>{account}</Id></Othr></Id>"
    acct = f"<Acct>{named}<Ccy>IRR</Ccy></Acct>"
    return f"<Id>{number}</Id>{acct}{''.join(balances)}" + "\n".join(entries)


def _side(rials: int) -> str:
    return f"<CdtDbtInd>{'CRDT' if rials >= 0 else 'DBIT'}</CdtDbtInd>"


def _camt_balance(code: str, value: int) -> str:
    kind, _, subtype = code.partition(" ")
    below = f"<SubTp><Cd>{subtype}</Cd></SubTp>" if subtype else ""
    return (
        f"<Bal><Tp><CdOrPrtry><Cd>{kind}</Cd></CdOrPrtry>{below}</Tp>"
        f'<Amt Ccy="IRR">{abs(value)}</Amt>{_side(value)}'
        "<Dt><Dt>2025-12-30</Dt></Dt></Bal>"
    )


def _camt_entry(chance: Random, entry: Entry) -> str:
    amount = f"{abs(entry.rials)}{chance.choice(('', '.0', '.00', '.000'))}"
    told = "".join(f"<Ustrd>{escape(text)}</Ustrd>" for text in entry.texts)
    details = f"<NtryDtls><TxDtls><RmtInf>{told}</RmtInf></TxDtls></NtryDtls>"
    return (
        f'<Ntry><NtryRef>N</NtryRef><Amt Ccy="IRR">{amount}</Amt>{_side(entry.rials)}'
        f"<RvslInd>{str(entry.is_reversal).lower()}</RvslInd>"
        f"{chance.choice(_STATUS).format('BOOK')}"
        f"<BookgDt><Dt>{entry.booked}</Dt></BookgDt>"
        f"<ValDt><Dt>{entry.valued}</Dt></ValDt>"
        f"<AcctSvcrRef>{entry.reference}</AcctSvcrRef>{details}</Ntry>"
    )


WRITERS = {"mt940": mt940, "camt": camt}


def inner_pages(found: Drawn) -> list[tuple[int, int]]:
    """Return the places of pages that have another before or after them."""
    return [
        (at, place)
        for at, (_, _, pages) in enumerate(found.statements)
        for place, _ in enumerate(pages)
        if len(pages) > 1
    ]
