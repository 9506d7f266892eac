"""All that a summary has of what no check proves, in one list for everybody who tells.

So verdict, message, terminal and closings leave out nothing that another one says, and
agree in whether quiet is a proof.
"""

from collections.abc import Collection, Mapping
from typing import Any

from recon.reconcile.disclosures.bank_gaps import gap_words
from recon.reconcile.disclosures.coverage import (
    CHECKS,
    coverage_words,
    in_vain,
    is_short,
    never_words,
)
from recon.reconcile.disclosures.locale import ENGLISH, Locale
from recon.reconcile.disclosures.unjudged import is_unknown, unjudged_words

UNPROVEN = "unproven"
_RESERVATIONS = ("missing_settlements", "duplicate_payments", "never_read", "stale")


def reservation(
    summary: Mapping[str, Any], disabled: Collection[str] = ()
) -> str | None:
    """Name why a summary with nothing open is no all clear, the gravest first.

    It is what the summary has it under, else UNPROVEN, but for what only `disabled`
    checks would speak of; None where all is well.
    """
    for name in _RESERVATIONS:
        if summary.get(name):
            return name
    is_unproven = is_short(summary, disabled) or is_unknown(summary, disabled)
    return UNPROVEN if is_unproven else None


def unproven_words(
    told: Mapping[str, Any],
    disabled: Collection[str] = (),
    locale: Locale = ENGLISH,
    *,
    brief: bool = False,
) -> list[str]:
    """Tell a sentence each; `told` is a summary, or a closing, as JSON has it.

    `brief` is for a message: no text of the provider or of a file is in it, and nothing
    that is so for good.
    """
    gaps = told.get("bank_gaps")
    if set(CHECKS["bank_statement"]) <= set(disabled):
        gaps = None
    never = in_vain(told, disabled) if brief else told.get("never_imported", ())
    return [
        *([gap_words(gaps, locale)] if gaps else []),
        *coverage_words(told.get("uncovered", ()), disabled, locale),
        *never_words(never, disabled, locale),
        *unjudged_words(told.get("unjudged", ()), disabled, locale, brief=brief),
    ]
