"""All that a summary has of what no check proves, in one list for everybody who tells.

So verdict, message, terminal and closings leave out nothing that another one says.
"""

from collections.abc import Collection, Mapping
from typing import Any

from recon.reconcile.disclosures.bank_gaps import gap_words
from recon.reconcile.disclosures.coverage import (
    CHECKS,
    coverage_words,
    in_vain,
    never_words,
)
from recon.reconcile.disclosures.locale import ENGLISH, Locale
from recon.reconcile.disclosures.unjudged import unjudged_words


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
