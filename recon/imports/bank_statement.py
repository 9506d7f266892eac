"""KIND bank_statement: entries of a bank account; signed rials, a debit is negative.

`debit` and `credit`, as a bank's export has them, may stand in place of `amount`.
`balance`, of the account after the entry, may stand beside it.

Without a key: the n-th identical row of a later file is the n-th of an earlier one.
"""

from recon.imports.columns import amount, iban, instant, prose
from recon.imports.formats import camt053, mt940
from recon.imports.formats.detection import TABULAR
from recon.imports.sides import Sides
from recon.imports.tables import Kind

_AMOUNT = amount("amount", signed=True)

KIND = Kind(
    name="bank_statement",
    table="bank_statement",
    columns=(
        instant("booked_at"),
        _AMOUNT,
        prose("description"),
        iban(),
    ),
    sides=Sides(
        whole=_AMOUNT,
        out=amount("debit", filled=False),
        into=amount("credit", filled=False),
    ),
    running=amount("balance", signed=True, filled=False),
    readers={**TABULAR, "camt053": camt053.read, "mt940": mt940.read},
)
