"""What a period's journal says of money held in escrow for others, by business date.

A closing keeps these as a page of its commit, as it does its other figures.
"""

from typing import Any

import pyarrow as pa

from recon.lake.schema import RIALS, TEXT, WHOLE
from recon.reconcile.result import Result

HELD = "memo:escrow:held"
"""The account of what is held in escrow for others."""

ESCROW_FIGURES = pa.schema(
    {
        "business_date": pa.date32(),
        "product": TEXT,
        "moves": WHOLE,
        "received": RIALS,
        "released": RIALS,
    }
)
"""One row a business date on which the account moved, amounts in rials.

`moves` is the number of its entries, `received` came from buyers, `released` went back
to buyers and out to sellers.
"""


_FIGURES = """
select
    business_date,
    count(*) as moves,
    sum(debit // 1000000000) as received_billions,
    sum(debit % 1000000000) as received_rest,
    sum(credit // 1000000000) as released_billions,
    sum(credit % 1000000000) as released_rest
from report_journal
where account = $held and business_date is not null
group by business_date
"""
_BILLION = 10**9
_MOST = 2**63 - 1


def escrow_figures(result: Result) -> pa.Table:
    """Return the figures of escrow on every date, sorted.

    A sum beyond 64 bits, which forged events can come to, is the most that these hold.
    """
    rows = [
        {
            "business_date": row["business_date"],
            "product": "escrow",
            "moves": row["moves"],
            "received": _rials(row, "received"),
            "released": _rials(row, "released"),
        }
        for row in result.sql(_FIGURES, held=HELD).to_pylist()
    ]
    return pa.Table.from_pylist(rows, ESCROW_FIGURES).sort_by("business_date")


def _rials(row: dict[str, Any], side: str) -> int:
    rials = int(row[f"{side}_billions"]) * _BILLION + int(row[f"{side}_rest"])
    return min(rials, _MOST)
