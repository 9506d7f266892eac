"""A slip of the pen in the wallet's IBAN is told before a night fails for it."""

from pathlib import Path

import pytest

from recon.doctor import Level
from tests.doctor.doctor_cases import CASH_IN, config, examined, told

RIGHT = "IR740217876908633198199319"
WRONG = ("IR740217876908633198199318", "IR74021787690863319819931")
SINCE = '[cash_in.wallet_iban_since]\n2026-10-01 = "{}"\n'


def warned(folder: Path, iban: str, since: str = "") -> list[str]:
    section = CASH_IN.replace("IR84", iban) + since
    return told(examined(config(folder, section)), "settings", Level.WARNING)


@pytest.mark.parametrize("iban", WRONG)
def test_check_digits_that_do_not_fit_are_a_warning(tmp_path: Path, iban: str) -> None:
    for lines in (warned(tmp_path, iban), warned(tmp_path, RIGHT, SINCE.format(iban))):
        (said,) = lines
        assert said.startswith("cash_in.wallet_iban: the check digits")
        assert iban not in said


def test_an_iban_that_fits_is_no_trouble_however_it_is_grouped(tmp_path: Path) -> None:
    assert not warned(tmp_path, "IR74 0217 8769 0863 3198 1993 19", SINCE.format(RIGHT))
