"""KIND balances: what an IBAN held at an instant, one row a snapshot; in rials.

Of two figures of one instant a file does not say which is true.
"""

from recon.imports.agreement import Agreement
from recon.imports.columns import amount, iban, instant
from recon.imports.tables import Kind

_OF_DAY = (
    "is a day without a time, taken as its first instant; where it is the balance of "
    "the day's end, take the file back where it was taken (--void), and say so: "
    "--value at_time=24:00"
)

KIND = Kind(
    name="balances",
    table="balances",
    columns=(
        instant("at", of_day=_OF_DAY),
        amount("balance", signed=True),
        amount("available_balance", signed=True),
        iban(),
    ),
    fixed=(("origin", "import"),),
    agrees=(Agreement(by=("at", "iban"), on=("balance", "available_balance")),),
)
