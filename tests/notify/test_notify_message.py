"""The announcement of a night: what it says, what it never says, and that it never
fails the night."""

import logging
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from recon import notify
from recon.settings import Business, Notify, Secret, Settings
from tests.notify.receiving import FAKE, Sender, listener

AS_OF = "2026-10-01T06:30:00Z"
SECRET_ADDRESS = "json://user:canary-token@127.0.0.1:9/canary-path"


def summary(**changes: Any) -> dict[str, Any]:
    return {
        "run_id": "r",
        "as_of": AS_OF,
        "complete": True,
        "sources": {
            "checkouts": {"complete": True, "error": None},
            "mandates": {"complete": True, "error": None},
        },
        "breaks": {
            "open": {
                "by_severity": {"critical": 0, "error": 0, "warning": 0, "info": 0},
                "by_check": {},
            }
        },
        "wallet": {"closing": 5_000, "unexplained": 0, "unexplained_intervals": 0},
        "exit_code": 0,
    } | changes


def breaks(**counts: int) -> dict[str, Any]:
    levels = {"critical": 0, "error": 0, "warning": 0, "info": 0} | counts
    return {"open": {"by_severity": levels, "by_check": {}}}


def settings(*urls: str) -> Settings:
    return Settings(
        business=Business(name="acme"),
        notify=Notify(urls=tuple(Secret(url) for url in urls)),
    )


@pytest.fixture
def apprise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "apprise", FAKE)


def test_a_source_that_was_read_long_ago_is_named(tmp_path: Path) -> None:
    given = summary(stale={"checkouts": "2026-09-02T00:00:00Z"})
    said = notify.message("acme", given, tmp_path)
    assert (said.mood, "all is well" in said.title) == ("warning", False)
    assert "Last read at 2026-09-02T00:00:00Z: checkouts." in said.body


def test_a_source_that_was_never_read_is_named(tmp_path: Path) -> None:
    given = summary(never_read=["mandates"])
    said = notify.message("acme", given, tmp_path)
    assert (said.mood, "all is well" in said.title) == ("warning", False)
    assert "Never read: mandates." in said.body


def test_an_incomplete_night_says_so_where_no_source_is_to_blame(
    tmp_path: Path,
) -> None:
    sent = notify.message("acme", summary(complete=False), tmp_path)
    assert (sent.title, sent.mood) == ("recon acme: incomplete", "failure")
    assert "Could not be read whole: see the report." in sent.body.splitlines()


def test_a_lake_without_a_source_is_never_called_well(tmp_path: Path) -> None:
    wallet = {"closing": None, "unexplained": None, "unexplained_intervals": 0}
    empty = summary(sources={}, wallet=wallet)
    said = notify.message("acme", empty, tmp_path)
    assert (said.mood, "nothing is known" in said.title) == ("warning", True)
    imported = notify.message("acme", summary(sources={}), tmp_path)
    assert imported.mood == "success"


@pytest.mark.parametrize(
    ("changes", "mood", "verdict"),
    [
        ({}, "success", "all is well"),
        ({"breaks": breaks(info=1)}, "warning", "nothing wrong"),
        ({"breaks": breaks(warning=2)}, "warning", "nothing wrong"),
        ({"breaks": breaks(error=1)}, "failure", "1 break to look at"),
        ({"breaks": breaks(critical=2, error=1)}, "failure", "3 breaks to look at"),
        ({"complete": False}, "failure", "incomplete"),
        ({"complete": False, "breaks": breaks(critical=1)}, "failure", "incomplete"),
    ],
)
def test_the_title_is_the_verdict(
    tmp_path: Path, changes: dict[str, Any], mood: str, verdict: str
) -> None:
    sent = notify.message("acme", summary(**changes), tmp_path)
    assert sent.mood == mood
    assert sent.title.startswith(f"recon acme: {verdict}")


def test_what_was_lost_is_the_title_and_comes_first(tmp_path: Path) -> None:
    loud, cut = {"breaks": breaks(error=1)}, {"complete": False}
    told: dict[str, Any] = {"": {}, "; 1 break to look at": loud, "; incomplete": cut}
    for more, changes in told.items():
        given, alarms = summary(**changes), ["A is lost.", "B."]
        sent = notify.message("acme", given, tmp_path, alarms=alarms)
        title = f"recon acme: its own records need a look{more}"
        assert (sent.mood, sent.title) == ("failure", title)
        assert sent.body.splitlines()[1:3] == alarms


@pytest.mark.parametrize(
    ("wallet", "line"),
    [
        (
            {"closing": 1, "unexplained": 0, "unexplained_intervals": 0},
            "Unexplained: 0 rials.",
        ),
        (
            {"closing": 1, "unexplained": -1234567, "unexplained_intervals": 1},
            "1,234,567 rials in 1 interval.",
        ),
        (
            {"closing": 1, "unexplained": 0, "unexplained_intervals": 2},
            "0 rials in 2 intervals.",
        ),
        (
            {"closing": 1, "unexplained": -1, "unexplained_gross": 9}
            | {"unexplained_intervals": 2},
            "Unexplained: 9 rials in and out, -1 rials net, in 2 intervals.",
        ),
        (
            {"closing": 1, "unexplained": 0, "closing_at": "2026-09-01T00:00:00Z"},
            "0 rials, up to the balance of 2026-09-01T00:00:00Z.",
        ),
        (
            {"closing": None, "unexplained": None, "unexplained_intervals": 0},
            "not known",
        ),
    ],
)
def test_the_unexplained_rest_is_said_in_rials(
    tmp_path: Path, wallet: dict[str, Any], line: str
) -> None:
    sent = notify.message("acme", summary(wallet=wallet), tmp_path)
    assert line in sent.body


def test_new_critical_breaks_are_counted_the_most_first(tmp_path: Path) -> None:
    news = {"deposit_duplicate": 1, "checkout_paid_twice": 1_200}
    sent = notify.message("acme", summary(), tmp_path, news=news)
    told = "New critical breaks: checkout_paid_twice 1,200, deposit_duplicate 1."
    assert told in sent.body.splitlines()
    sent = notify.message("acme", summary(), tmp_path)
    assert "New critical breaks: none." in sent.body.splitlines()


def test_a_closed_period_with_other_figures_is_told(tmp_path: Path) -> None:
    restated = {"2026-08": 1, "2026-09": 2}
    given = summary(stale={"checkouts": AS_OF}, restated=restated)
    said = notify.message("shop", given, tmp_path)
    assert said.mood == "warning"
    assert said.title == "recon shop: a closed period has other figures now"
    assert "3 figures of closed periods (2026-08, 2026-09)" in said.body


def test_checks_that_were_not_run_are_named(tmp_path: Path) -> None:
    off = ("record_vanished", "deposit_duplicate")
    said = notify.message("shop", summary(), tmp_path, disabled=off)
    told = "Not run, by checks.disabled: record_vanished, deposit_duplicate."
    assert told in said.body.splitlines()


def test_many_checks_make_no_long_message(tmp_path: Path) -> None:
    news = {f"check_{number}": 1 for number in range(8)}
    sent = notify.message("acme", summary(), tmp_path, news=news)
    assert "check_4 1, 3 further checks." in sent.body
    assert "check_5" not in sent.body


@pytest.mark.parametrize(
    ("count", "end"), [(5, "check_4 1."), (6, "check_4 1, 1 further check.")]
)
def test_a_check_beyond_those_that_are_named_is_counted(
    tmp_path: Path, count: int, end: str
) -> None:
    news = {f"check_{number}": 1 for number in range(count)}
    lines = notify.message("acme", summary(), tmp_path, news=news).body.splitlines()
    (line,) = [each for each in lines if each.startswith("New critical breaks: ")]
    assert line.endswith(end)


def test_the_report_is_the_page_where_there_is_one(tmp_path: Path) -> None:
    assert notify.message("acme", summary(), tmp_path).body.endswith(
        f"Report: {tmp_path}"
    )
    (tmp_path / "report.html").touch()
    sent = notify.message("acme", summary(), tmp_path)
    assert sent.body.endswith(f"Report: {tmp_path / 'report.html'}")


def test_no_personal_data_and_none_of_the_providers_words_are_sent(
    tmp_path: Path,
) -> None:
    sources = {"checkouts": {"complete": False, "error": "09121234567 is unknown"}}
    sent = notify.message("acme", summary(complete=False, sources=sources), tmp_path)
    assert "Could not be read whole: checkouts." in sent.body
    assert "0912" not in sent.title + sent.body


def test_without_addresses_nothing_happens_and_nothing_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "apprise", None)
    assert notify.notify(settings(), summary(), tmp_path) == []
    assert notify.unusable(settings()) == []


def test_a_missing_extra_is_one_clear_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "apprise", None)  # its import fails
    for lines in (
        notify.notify(settings(SECRET_ADDRESS), summary(), tmp_path),
        notify.unusable(settings(SECRET_ADDRESS)),
    ):
        assert len(lines) == 1
        assert "recon[notify]" in lines[0]


def test_every_address_gets_the_message(apprise: None, tmp_path: Path) -> None:
    news = {"checkout_paid_twice": 1}
    with listener() as (first, got), listener() as (second, got_too):
        chosen = settings(first, second)
        assert notify.unusable(chosen) == []
        assert notify.notify(chosen, summary(), tmp_path, news=news) == []
    assert got == got_too
    assert got[0]["title"] == "recon acme: all is well"
    assert got[0]["type"] == "success"
    assert "checkout_paid_twice 1" in got[0]["message"]


def test_a_redirect_is_no_receipt(apprise: None, tmp_path: Path) -> None:
    """Whoever follows it asks for a page with GET: the message would go nowhere."""
    with listener() as (page, came), listener(sent_to=page) as (moved, _):
        lines = notify.notify(settings(moved), summary(), tmp_path)
    assert came == []
    assert lines == ["notify.urls: address 1 could not be reached"]


def test_an_apprise_that_follows_redirects_whatever_it_is_told_sends_nothing(
    apprise: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its releases before 1.11 do, and the extra may have been installed long ago."""
    monkeypatch.setattr(Sender, "asset", SimpleNamespace(), raising=False)
    with listener() as (address, got):
        chosen = settings(address)
        told = notify.notify(chosen, summary(), tmp_path), notify.unusable(chosen)
    assert got == []
    line = "notify.urls: address 1 needs a newer apprise: pip install 'recon[notify]'"
    assert told == ([line], [line])


def test_an_address_that_fails_is_told_by_its_place_alone(
    apprise: None,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    with listener() as (good, got):
        chosen = settings(SECRET_ADDRESS, good, "canary-word", "explode://canary")
        lines = notify.notify(chosen, summary(), tmp_path)
    assert len(got) == 1
    assert lines == [
        "notify.urls: address 1 could not be reached",
        "notify.urls: address 3 is none that is understood",
        "notify.urls: address 4 failed (ValueError)",
    ]
    printed = capfd.readouterr()
    assert "canary" not in caplog.text + printed.out + printed.err
    assert not logging.getLogger("apprise").disabled


def test_unusable_addresses_are_found_without_sending(apprise: None) -> None:
    with listener() as (good, got):
        lines = notify.unusable(settings(good, "canary-word", "explode://canary"))
    assert lines == [
        "notify.urls: address 2 is none that is understood",
        "notify.urls: address 3 failed (ValueError)",
    ]
    assert got == []


def test_an_address_that_hangs_is_given_up(
    apprise: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = threading.Event()

    def hang(self: Sender, **_: object) -> bool:
        return release.wait(30)

    monkeypatch.setattr(Sender, "notify", hang)
    monkeypatch.setattr(notify, "LONGEST_SECONDS", 0.05)
    try:
        lines = notify.notify(settings(SECRET_ADDRESS), summary(), tmp_path)
        assert lines == ["notify.urls: address 1 did not answer"]
    finally:
        release.set()


def test_a_summary_of_another_shape_fails_no_night(
    apprise: None, tmp_path: Path
) -> None:
    lines = notify.notify(settings(SECRET_ADDRESS), {}, tmp_path)
    assert lines == ["notify: the message could not be made: KeyError"]
