"""What a check advises is the same in Persian: what to stop, pay back and look up."""

import re

import pytest

from recon.reconcile.checks import shipped_checks
from recon.reports.check_names import PERSIAN

ADVICE = {check.name: (check.do, PERSIAN[check.name][1]) for check in shipped_checks()}
SETTING = re.compile(r"\b(?:fee_bearer\w*|recon breaks explain)\b")


@pytest.mark.parametrize("name", ADVICE)
def test_the_settings_that_may_be_wrong_are_named(name: str) -> None:
    """Else many customers are paid back for a setting."""
    english, persian = ADVICE[name]
    assert set(SETTING.findall(persian)) == set(SETTING.findall(english))


@pytest.mark.parametrize("name", ADVICE)
def test_what_is_to_be_stopped_is_not_to_be_kept(name: str) -> None:
    """The Persian for holding a thing back is that for keeping it."""
    english, persian = ADVICE[name]
    assert ("متوقف کنید" in persian) is bool(re.search("hold back|stop fur", english))
    assert ("نگه دارید" in persian) is english.startswith("keep ")


@pytest.mark.parametrize("name", ADVICE)
def test_what_is_paid_back_is_money(name: str) -> None:
    """Without a word for it, it is the order that goes back."""
    assert not re.search("(?:^|یا )برگردانید", ADVICE[name][1])
