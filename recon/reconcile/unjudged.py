"""Money that is in the lake and that no check judges, told in words.

A status that the contract does not show, look-ups that the provider refused one and
all, payments of the books that nobody asked the provider for, a kind of adjustment that
is no settlement by its name, a deposit without what a debit is found by, debits of the
bank where no word names the provider: of none of it does a check speak, and silence
must not be taken for agreement.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from recon.money import format_rials
from recon.reconcile.coverage import CHECKS
from recon.reconcile.unlisted import Ask
from recon.wording import in_one_line

Unjudged = Mapping[str, Any]
"""`why` (status, refused, unasked, kind, untraced, unnamed) no check speaks of a
`subject`, the `name` of its status or kind (else empty), how many there are (`count`),
and their `amount` in rials."""

_IN_VAIN = ("refused", "unasked")
"""Why whether money came is not known, though somebody could ask."""

_OF_A_SETTING = "unnamed"
"""Why that checks.provider_names would settle once and for all."""

_READERS: dict[str, dict[str, tuple[str, ...]]] = {
    "refused": {
        "gateway_tokens": CHECKS["gateway_tokens"],
        "hosted_checkouts": CHECKS["hosted_checkouts"],
    },
    "unasked": dict.fromkeys(
        ("gateway_tokens", "hosted_checkouts"), ("book_status_mismatch",)
    ),
    "untraced": {"deposits": ("bank_debit_missing",)},
    "unnamed": {"debits": ("bank_debit_unexplained",)},
}
"""The checks that would speak of them; what is not named here no check would."""

_TOLD = {
    "status": (
        "Neither paid nor unpaid for any check, since the contract does not show their "
        "status: {listed}."
    ),
    "refused": (
        "Not known whether they were paid, since the provider refused each one that it "
        "was asked for: {listed}."
    ),
    "unasked": (
        "Paid by the books, and the provider was never asked for them: {listed}."
    ),
    "kind": (
        "Not found at the bank, and not missed there, since their kind is no "
        "settlement by its name: {listed}."
    ),
    "untraced": (
        "Not looked for at the bank, since they have no IBAN, track_id or time of "
        "request: {listed}."
    ),
    "unnamed": (
        "Not asked whether the provider took them, since checks.provider_names is "
        "empty: {listed}."
    ),
}
_ITEMS = {
    "checkouts": (
        "1 checkout with done payments of {amount} rials",
        "{count} checkouts with done payments of {amount} rials",
    ),
    "agreements": (
        "1 agreement that holds {amount} rials",
        "{count} agreements that hold {amount} rials",
    ),
    "gateway_tokens": (
        "1 gateway token of {amount} rials",
        "{count} gateway tokens of {amount} rials",
    ),
    "hosted_checkouts": (
        "1 hosted checkout of {amount} rials",
        "{count} hosted checkouts of {amount} rials",
    ),
    "adjustments": (
        "1 adjustment of {amount} rials",
        "{count} adjustments of {amount} rials",
    ),
    "deposits": (
        "1 deposit of {amount} rials",
        "{count} deposits that come to {amount} rials",
    ),
    "debits": (
        "1 debit of the bank, of {amount} rials, without a deposit",
        "{count} debits of the bank, of {amount} rials, without a deposit",
    ),
}
_NAMED = "{item} ({name})"
_MORE = "and {count} more"
_MOST = 5
_MOST_SIGNS = 40
_QUERY = (
    "select why, subject, name, sum(count) as count, "
    # as text: a sum of many amounts may be wider than 64 bits
    "cast(sum(cast(amount as decimal(38, 0))) as varchar) as amount "
    "from report_unjudged where {condition} group by why, subject, name"
)


def unjudged(ask: Ask, condition: str = "true") -> list[dict[str, Any]]:
    """Return what no check judges and meets an SQL condition, the largest first."""
    found = [
        {
            "why": row["why"],
            "subject": row["subject"],
            "name": row["name"],
            "count": int(row["count"]),
            "amount": int(row["amount"]),
        }
        for row in ask(_QUERY.format(condition=condition)).to_pylist()
    ]
    order = list(_TOLD)
    found.sort(
        key=lambda row: (
            order.index(row["why"]),
            -abs(row["amount"]),
            row["subject"],
            row["name"],
        )
    )
    return found


def is_unknown(summary: Mapping[str, Any], disabled: Collection[str] = ()) -> bool:
    """Tell whether money is not known that somebody could ask for: quiet is no proof.

    Not so where only `disabled` checks would speak of it.
    """
    found = _minded(summary.get("unjudged", ()), disabled)
    return any(each["why"] in _IN_VAIN for each in found)


def unjudged_words(
    found: Sequence[Unjudged],
    disabled: Collection[str] = (),
    *,
    brief: bool = False,
    say: Callable[..., str] = str.format,
    count: Callable[[int], str] = format_rials,
    mark: Callable[[str], str] = str,
) -> list[str]:
    """Tell what no check judges, a sentence each reason; not what is `disabled`.

    `brief` is for a message: no text of the provider or of a file is in it, nor what a
    setting would settle. `say` puts a phrase into the reader's language, `count` writes
    a number, `mark` what is read from left to right.
    """
    told: dict[str, list[str]] = {}
    for each in _minded(found, disabled):
        if brief and each["why"] == _OF_A_SETTING:
            continue
        one, many = _ITEMS[each["subject"]]
        item = say(
            one if each["count"] == 1 else many,
            count=count(each["count"]),
            amount=count(each["amount"]),
        )
        if each["name"] and not brief:
            item = say(_NAMED, item=item, name=mark(_shown(each["name"])))
        told.setdefault(each["why"], []).append(item)
    return [
        say(_TOLD[why], listed=say(", ").join(_short(items, say, count)))
        for why, items in told.items()
    ]


def _minded(found: Sequence[Unjudged], disabled: Collection[str]) -> list[Unjudged]:
    return [each for each in found if not _is_off(each, disabled)]


def _is_off(each: Unjudged, disabled: Collection[str]) -> bool:
    readers = _READERS.get(each["why"], {}).get(each["subject"], ())
    return bool(readers) and set(readers) <= set(disabled)


def _short(
    items: list[str], say: Callable[..., str], count: Callable[[int], str]
) -> list[str]:
    more = len(items) - _MOST
    return [*items[:_MOST], say(_MORE, count=count(more))] if more > 0 else items


def _shown(name: str) -> str:
    plain = in_one_line(name)
    return plain if len(plain) <= _MOST_SIGNS else f"{plain[: _MOST_SIGNS - 1]}…"
