"""KIND adjustments: what else changed the wallet; signed rials, its effect.

Without a key: the n-th identical row of a later file is the n-th of an earlier one.
"""

from recon.imports.columns import amount, instant, prose, text
from recon.imports.tables import Kind

KIND = Kind(
    name="adjustments",
    table="adjustments",
    columns=(
        instant("at"),
        amount("amount", signed=True),
        text("kind"),
        prose("description"),
    ),
)
