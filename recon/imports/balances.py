"""KIND balances: what an IBAN held at an instant, one row a snapshot; in rials.

Of two figures of one instant a file does not say which is true.
"""

from recon.imports.agreement import Agreement
from recon.imports.columns import amount, iban, instant
from recon.imports.tables import Kind

KIND = Kind(
    name="balances",
    table="balances",
    columns=(
        instant("at"),
        amount("balance", signed=True),
        amount("available_balance", signed=True),
        iban(),
    ),
    fixed=(("origin", "import"),),
    agrees=Agreement(by=("at", "iban"), on=("balance", "available_balance")),
)
