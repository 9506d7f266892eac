"""Wherever a date is asked, it may be of either calendar."""

import csv
from pathlib import Path

import pytest

from recon.cli.group import run

OPTIONS = [("report", "--from"), ("report", "--to"), ("sandbox", "--until")]


@pytest.fixture(autouse=True)
def stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sandbox that is stopped as soon as it would serve."""

    def serve(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("recon.sandbox.server.serve", serve)


@pytest.mark.parametrize("words", OPTIONS)
@pytest.mark.parametrize(
    "text", ["2026-10", "2026-02-30", "1405-07-31", "1405-12-30", "05-07-01", ""]
)
def test_what_is_no_date_is_told_with_what_one_is(
    words: tuple[str, str],
    text: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("recon.toml").write_text('[business]\nname = "acme"\n', encoding="utf-8")
    assert run([*words, text]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    wanted = "must be a date like 2026-10-31, or the Jalali 1405-08-09"
    assert err.startswith(f"recon: {words[1]}: {wanted}: {text!r} is not a ")


@pytest.mark.parametrize("text", ["2026-10-22", "1405-07-30", "۱۴۰۵/۰۷/۳۰"])
def test_the_sandbox_ends_on_a_day_of_either_calendar(
    text: str, tmp_path: Path
) -> None:
    given = ("--days", "2", "--daily", "5", "--files", str(tmp_path))
    assert run(["sandbox", "--until", text, *given]) == 130
    with (tmp_path / "balances.csv").open(encoding="utf-8-sig", newline="") as file:
        assert [row["at"][:10] for row in csv.DictReader(file)][-1] == "2026-10-22"
