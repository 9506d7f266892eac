"""What bank statement formats have in common: their columns and their arithmetic."""

from dataclasses import dataclass
from decimal import Decimal

from recon import money
from recon.imports.checksums import iban_holds
from recon.imports.formats.rows import Refusal, Row, shortened, typed_number

NAMES = ("booked_at", "amount", "currency", "description", "iban", "reference")
_CURRENCIES = {"IRR": "rial"}
_TAKEN = {"rial", "toman", ""}  # words of ours, as some banks write
_CODE_LETTERS = 3
_MOST_DIGITS = 30


@dataclass
class Entry:
    """One entry; `described` is what readers of before took for its description."""

    line: int
    booked_at: str
    amount: str
    reference: str
    description: str
    described: str


@dataclass
class Statement:
    """One statement of an account: what its entries must add up to.

    `number` counts the statements of a file.
    """

    account: str = ""
    currency: str = ""
    opening: Decimal | None = None
    closing: Decimal | None = None
    moved: Decimal = Decimal(0)
    number: int = 1

    def row(self, entry: Entry) -> Row:
        """Return an entry's row and add its amount to what the statement moved."""
        self.moved += _as_taken(entry.amount)
        cells = (
            entry.booked_at,
            typed_number(entry.amount),
            _CURRENCIES.get(self.currency, self.currency),
            entry.description,
            self.account,
            entry.reference,
        )
        return Row(
            entry.line,
            NAMES,
            cells,
            self._fault,
            described=entry.described,
            balance=self._balance,
            statement=self.number,
        )

    @property
    def _balance(self) -> str | None:
        """Return what the account has after the entries so far, if it can be told."""
        if self.opening is None:
            return None
        return typed_number(f"{self.opening + self.moved:f}")

    @property
    def _fault(self) -> Refusal | None:
        """Return why no entry can be taken: settings say nothing of such a currency."""
        if self.currency in _CURRENCIES or self.currency.lower() in _TAKEN:
            return None
        reason = f"{shortened(self.currency)} is not allowed: rial (IRR)"
        return Refusal(reason, column="currency")

    @property
    def adds_up(self) -> bool:
        """Tell whether its entries lead from its opening balance to its closing one."""
        ends = self.opening, self.closing
        return None not in ends and not self.doubts()

    def doubts(self) -> list[str]:
        """Return what is wrong with the closing balance, if it can be told."""
        if self.opening is None or self.closing is None:
            return []
        found = self.opening + self.moved
        if found == self.closing:
            return []
        name = f"the statement of {self.account}"
        sums = f"{self.opening:,} and {self.moved:,} make {found:,}"
        return [f"{name} does not add up: {sums}, but it closes at {self.closing:,}"]


def _as_taken(amount: str) -> Decimal | int:
    """Return an amount as its row has it, who may take separators of thousands."""
    exact = decimal_of(amount)
    if exact is not None:
        return exact
    try:
        return money.parse_amount(amount, signed=True)
    except ValueError:  # such a row is refused
        return 0


def decimal_of(text: str) -> Decimal | None:
    """Return a written amount exactly, None where it is none."""
    digits = text.removeprefix("-").replace(".", "", 1)
    if digits.isascii() and digits.isdigit() and len(digits) <= _MOST_DIGITS:
        return Decimal(text)
    return None


def account_of(text: str) -> str:
    """Return the IBAN in an account's identification, else the whole of it."""
    last = text.rpartition("/")[2].strip()
    for found in (last, last[:-_CODE_LETTERS]):  # some banks append the currency
        if iban_holds(found):
            return found
    return text.strip()
