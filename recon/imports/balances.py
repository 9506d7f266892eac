"""KIND balances: what an IBAN held at an instant, one row a snapshot; in rials."""

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
)
