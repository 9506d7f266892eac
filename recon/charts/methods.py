"""Payment methods side by side: gross, wage and net."""

import pandas as pd
from matplotlib.figure import Figure

from recon.charts import style
from recon.charts.bars import folded, lying_bars
from recon.charts.flows import OTHERS, OWN_MONEY, method_names
from recon.charts.look import ENGLISH, Look

TITLE = "Payments by method: gross amount, its wage, and what reached the wallet"
_MOST_METHODS = 15
_ONE = "{amount}   wage {wage}   net {net}   1 payment"
_MANY = "{amount}   wage {wage}   net {net}   {count} payments"


def flows_by_method(flows: pd.DataFrame, *, look: Look = ENGLISH) -> Figure:
    """Draw each method's gross amount with its wage and its net, the largest first.

    Takes the columns of flows.csv, in rials; only what customers paid. The fifteen
    largest methods are shown, the rest together.
    """
    paid = flows[~flows["product"].isin(OWN_MONEY)]
    if paid.empty:
        return style.empty(TITLE, "No certain payments in this period.", look)
    columns = ["count", "amount", "wage", "affected"]
    rows = {name: style.summable(paid[name]) for name in columns}
    table = pd.DataFrame({"method": list(method_names(paid)), **rows})
    sums = table.groupby("method")[columns].sum()
    sums = sums.sort_values("amount", ascending=False, kind="stable")
    sums = folded(sums, _MOST_METHODS)
    figures = {name: style.whole_numbers(sums[name]) for name in columns}
    unit = style.unit_of(figures["amount"], look)
    texts = [
        look.say(
            _ONE if count == 1 else _MANY,
            amount=unit.text(amount),
            wage=unit.text(wage),
            net=unit.text(net),
            count=look.count(count),
        )
        for count, amount, wage, net in zip(*figures.values(), strict=True)
    ]
    made = lying_bars(
        look.say("{title}, {unit}", title=look.say(TITLE), unit=unit.name),
        [look.say(OTHERS) if name == OTHERS else str(name) for name in sums.index],
        figures["amount"],
        texts,
        [style.BLUE] * len(sums),
        look,
    )
    made.axes[0].margins(x=0.75)
    return made
