"""What schedulers and scripts lean on: exit codes, summary.json, lock and clock."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from recon import __version__, nightly
from recon.cli.group import COMMANDS, run
from recon.errors import UsageError
from recon.lake import Lake
from recon.settings import Business, Checks, Hosted, Reports, Settings
from tests.reconcile.lake_history import History, at, unpaid
from tests.summary_keys import Summary

HOLD = (
    "import sys, time; from recon.lake import Lake; from recon.lake.lock import "
    "run_lock\nwith run_lock(Lake(sys.argv[1])):\n print('held', flush=True)\n"
    " time.sleep(600)"
)


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("RECON_CONFIG", "RECON_LOG"):
        monkeypatch.delenv(name, raising=False)
    path = tmp_path / "recon.toml"
    path.write_text('[business]\nname = "acme"\n', encoding="utf-8")
    return path


def said(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = run(list(words))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> History:
    """A shop with a lake, one pull, and a moving clock."""
    history = History(tmp_path / "lake", monkeypatch)
    history.settings = Settings(
        business=Business(name="shop"),
        reports=Reports(path=str(tmp_path / "reports"), excel=False, html=False),
    )
    history.clock(at(2))
    history.pull("checkouts", unpaid("a", "b"))
    return history


def test_summary_json_has_its_keys_and_types(shop: History) -> None:
    night = nightly.run(shop.settings, shop.lake)
    content = night.files["summary.json"].read_bytes()
    found = msgspec.json.decode(content, type=Summary)
    assert msgspec.json.decode(content) == night.summary
    assert found.exit_code == int(night.exit_code) == 1
    assert found.breaks.open.by_check == {"checkout_paid_without_payment": 2}
    assert found.breaks.open.rials_by_check.keys() == found.breaks.open.by_check.keys()
    assert found.breaks.open.by_severity.critical == 2
    assert found.sources["checkouts"].records == 1
    assert found.as_of.endswith("Z")
    assert "not_run" not in night.summary


def test_a_program_learns_which_checks_were_not_run(shop: History) -> None:
    """It sees exit code 0 of a night with two breaks that nobody looked for."""
    off = ("wallet_rollforward", "checkout_paid_without_payment")
    shop.settings = replace(shop.settings, checks=Checks(disabled=off))
    found = msgspec.convert(nightly.run(shop.settings, shop.lake).summary, Summary)
    assert (found.exit_code, found.not_run) == (0, sorted(off))


def test_a_source_that_no_night_reads_any_more_is_told_as_of_its_last_pull(
    shop: History, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("recon.cli.options.settings", lambda _: shop.settings)
    monkeypatch.setattr("recon.cli.options.lake", lambda _: shop.lake)
    shop.pull("mandates", {})
    left_out = "checkouts, mandates (there is no section [unified])"
    shop.clock(at(3))
    shop.pull("customers", {})
    _, first, _ = said(capsys, "nightly", "--quiet")
    assert f"not pulled, and shown as before: {left_out}\n" in first
    assert "last read" not in first
    shop.clock(at(4))
    shop.pull("customers", {})
    _, out, _ = said(capsys, "nightly", "--json")
    then = "2026-10-02T00:00:00Z"
    stale = {"checkouts": then, "mandates": then}
    assert msgspec.json.decode(out, type=Summary).stale == stale
    _, out, _ = said(capsys, "reconcile", "--quiet")
    assert f"checkouts: last read at {then}, and shown as it was then\n" in out
    assert "wallet: not known, there are no two balance snapshots" in out


def test_a_section_that_lost_its_address_before_the_first_night_is_told(
    shop: History,
) -> None:
    """Its address comes from the environment, and the timer's has none."""
    settings = shop.settings
    assert "never_read" not in nightly.run(settings, shop.lake).summary
    shop.settings = replace(settings, hosted=Hosted(fee_bearer="customer"))
    found = msgspec.convert(nightly.run(shop.settings, shop.lake).summary, Summary)
    assert found.never_read == ["hosted_checkouts"]


def test_a_night_over_a_new_lake_says_that_it_is_new(shop: History) -> None:
    assert not nightly.run(shop.settings, shop.lake).notices
    empty = Lake(shop.lake.root.parent / "new")
    (said,) = nightly.run(shop.settings, empty).notices  # begun anew on the same day
    assert str(empty.root) in said
    assert "was empty before" in said


def test_a_night_over_a_lake_that_went_away_touches_nothing(shop: History) -> None:
    files = nightly.run(shop.settings, shop.lake).files
    before = {path: path.read_bytes() for path in files.values()}
    empty = Lake(shop.lake.root.parent / "lkae")
    shop.clock(at(3))
    with pytest.raises(UsageError) as error:
        nightly.run(shop.settings, empty)
    assert str(error.value) == (
        f"lake.path: {empty.root} holds nothing, but {shop.settings.reports_path} has "
        "reports up to 2026-10-02: is it the right place, and mounted? "
        "To begin anew, move those reports away"
    )
    assert empty.commits() == []
    assert {path: path.read_bytes() for path in files.values()} == before


def test_a_shop_without_products_has_its_nights_until_it_has_some(
    shop: History,
) -> None:
    """A lake of runs alone is not one that went away: its reports are its own."""
    lake = Lake(shop.lake.root.parent / "of-nothing-yet")
    nightly.run(shop.settings, lake)
    shop.clock(at(3))
    assert nightly.run(shop.settings, lake).summary["exit_code"] == 0
    shop.clock(at(4))
    with pytest.raises(UsageError, match="reports up to 2026-10-03"):
        nightly.run(shop.settings, Lake(shop.lake.root.parent / "elsewhere"))


def test_a_summary_with_another_key_would_be_seen() -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(b'{"run_id": "x", "more": 1}', type=Summary)


def test_reconcile_prints_the_same_summary(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = said(capsys, "reconcile", "--json")
    assert msgspec.json.decode(out, type=Summary).exit_code == code == 0


UNREACHED = (
    '[unified]\nbase_url = "http://127.0.0.1:9"\napi_key = "k"\n'
    '[http]\nretries = 0\ntimeout = "2s"\n'
)


@pytest.mark.parametrize("command", ["pull", "nightly"])
def test_a_source_out_of_reach_exits_3_and_is_named(
    command: str, config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config.write_text(config.read_text("utf-8") + UNREACHED, "utf-8")
    code, out, _ = said(capsys, command, "--json")
    assert code == 3
    sources = json.loads(out)["sources"]
    assert "checkouts" in sources
    assert sources["checkouts"]["error"]


def test_an_incomplete_night_is_incomplete_for_all_that_read_it(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config.write_text(config.read_text("utf-8") + UNREACHED, "utf-8")
    assert said(capsys, "nightly")[0] == 3
    for command in ("reconcile", "report"):
        assert said(capsys, command)[0] == 3


MISTAKES = {
    "demo": ["--seed", "x"],
    "init": ["a", "b"],
    "doctor": ["--restore", "/no/such/folder"],
    "pull": ["invoices"],
    "import": ["books", "none.csv"],
    "reconcile": ["--as-of", "yesterday"],
    "breaks": ["show", "0123456789abcdef"],
    "report": ["--from", "2026-10-02", "--to", "2026-10-01"],
    "nightly": ["--as-of", "2099-01-01"],
    "close": ["soon"],
    "verify-pack": ["none.zip"],
    "webhooks": ["--host", "256.0.0.1"],
    "sandbox": ["--days", "0"],
    "lab": ["--config"],
    "sql": ["selec 1"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_mistake_exits_2_with_one_line_on_every_command(
    command: str, config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = said(capsys, command, *MISTAKES[command])
    assert (code, out) == (2, ""), err
    assert err.startswith("recon: ")
    assert err.count("\n") == 1


NO_SETTINGS = {"demo", "init", "lab", "sandbox", "doctor", "verify-pack"}
ARGUMENTS = {
    "import": ["books", "a.csv"],
    "sql": ["select 1"],
    "close": ["2026-10"],
    "breaks": ["list"],
}


@pytest.mark.parametrize("command", sorted(set(COMMANDS) - NO_SETTINGS))
def test_a_wrong_setting_exits_2_on_every_command_that_reads_them(
    command: str, config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config.write_text('[business]\nname = "acme"\n[lake]\nhurry = 1\n', "utf-8")
    code, out, err = said(capsys, command, *ARGUMENTS.get(command, []))
    assert (code, out) == (2, "")
    assert "lake.hurry" in err
    assert err.count("\n") == 1


def test_a_lock_is_freed_by_a_kill(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lake = config.parent / "data/lake"
    holding = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(lake)],
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])},
    )
    try:
        assert holding.stdout is not None
        assert holding.stdout.readline() == b"held\n"
        for command in ("nightly", "pull", "reconcile"):
            code, _, err = said(capsys, command)
            assert code == 4
            assert "another run" in err
            assert err.count("\n") == 1
        holding.send_signal(signal.SIGKILL)
        holding.wait(20)
        assert said(capsys, "reconcile")[0] == 0
    finally:
        holding.kill()
        holding.communicate()


def test_a_night_is_safe_to_run_twice(shop: History) -> None:
    first = nightly.run(shop.settings, shop.lake)
    shop.clock(at(2, 1))
    second = nightly.run(shop.settings, shop.lake)
    assert first.summary["breaks"] == second.summary["breaks"]
    names = ["break_id", "first_seen", "status"]
    assert first.breaks.select(names).equals(second.breaks.select(names))


def test_a_clock_that_goes_back_takes_nothing_back(shop: History) -> None:
    """The lake's present is never before its newest commit: T stands still."""
    shop.clock(at(10))
    before = nightly.run(shop.settings, shop.lake)
    shop.clock(at(3))
    shop.pull("checkouts", unpaid("c"))
    after = nightly.run(shop.settings, shop.lake)
    assert after.summary["as_of"] >= before.summary["as_of"]
    assert set(before.breaks["break_id"].to_pylist()) < set(
        after.breaks["break_id"].to_pylist()
    )
    again = nightly.run(shop.settings, shop.lake, as_of=at(10))
    assert again.summary["run_id"] == before.summary["run_id"]
    times = [commit.committed_at for commit in shop.lake.commits()]
    assert times == sorted(times)
    (said,) = after.notices
    assert "2026-10-10" in said
    assert not before.notices


def test_the_version_is_the_package_s(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capsys, "--version")
    assert (code, out) == (0, f"recon, version {__version__}\n")


def test_completion_is_told_in_the_help_and_works(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert "_RECON_COMPLETE=bash_source" in said(capsys, "--help")[1]
    done = subprocess.run(
        [sys.executable, "-m", "recon"],
        env=os.environ
        | {
            "_RECON_COMPLETE": "bash_complete",
            "COMP_WORDS": "recon ni",
            "COMP_CWORD": "1",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert "nightly" in done.stdout


def test_an_empty_lake_is_left_alone_by_what_only_reads(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said(capsys, "breaks", "list")
    said(capsys, "sql", "select 1 as one")
    assert not Lake(config.parent / "data/lake").commits()
    assert not (config.parent / "data").exists()
