"""A shop whose nights are about what they tell: one check, no page and no workbook."""

from collections.abc import Callable
from pathlib import Path

import pytest

from recon import notify
from recon.settings import Business, Reports, Settings
from tests.reconcile.lake_history import History, only

CHECK = "checkout_paid_without_payment"
WITHOUT_PAGE = "\n[reports]\nhtml = false\n"
"""For nights of which nobody looks at the page: to draw it takes half of them."""


def shop_in(folder: Path, patch: pytest.MonkeyPatch) -> History:
    """Open the shop of a folder, for the commands as well."""
    history = History(folder / "lake", patch)
    history.settings = Settings(
        business=Business(name="shop"),
        reports=Reports(path=str(folder / "reports"), excel=False, html=False),
        checks=only(CHECK),
    )
    patch.setattr("recon.cli.options.settings", lambda _: history.settings)
    patch.setattr("recon.cli.options.lake", lambda _: history.lake)
    return history


def messages(patch: pytest.MonkeyPatch) -> list[notify.Message]:
    """Return where the message of each night goes, in place of any address."""
    told: list[notify.Message] = []

    def announced(_: Settings, make: Callable[[], notify.Message]) -> list[str]:
        told.append(make())
        return []

    patch.setattr(notify, "_announced", announced)
    return told
