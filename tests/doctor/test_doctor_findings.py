"""Each area of the doctor: what is as it should be, what is not, and what to do."""

import json
import os
import shutil
import socket
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import msgspec
import pytest

from recon import workspace
from recon.doctor import Diagnosis, Finding, Level, disk, examine, findings, reach
from recon.errors import ExitCode
from recon.journal import Journal
from recon.lake import Lake
from recon.records.requests import Operation, Outcome
from recon.sandbox.server import serve
from recon.sandbox.terms import SANDBOX_KEYS
from tests.doctor.doctor_cases import (
    CANARY,
    CASH_IN,
    ESCROW,
    GATEWAY,
    HOST,
    KEYS,
    UNIFIED,
    config,
    examined,
    failing,
    keys,
    of,
    provider,
    told,
)
from tests.lake.lake_cases import committed
from tests.sandbox.small_world import BUSINESS, small_world

MINUTE = timedelta(minutes=1)


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    lake = Lake(tmp_path / "data" / "lake")
    committed(lake, ["a"])
    return lake


def test_no_settings_file_says_how_to_get_one(tmp_path: Path) -> None:
    found = examined(tmp_path / "recon.toml")
    assert found.exit_code is ExitCode.USAGE
    (finding,) = of(found, "settings")
    assert "does not exist" in finding.told
    assert "recon init" in finding.do
    assert of(found, "versions")


def test_the_settings_file_of_the_environment_is_the_one(tmp_path: Path) -> None:
    path = config(tmp_path)
    found = examined(None, environment={"RECON_CONFIG": str(path)})
    assert "business: name from the file" in told(found, "settings")


@pytest.mark.parametrize(
    ("business", "environment", "named"),
    [
        ('nam = "x"', {}, "business.nam"),
        ('name = "a b"', {}, "business.name"),
        ('name = "x"', {"RECON_LAKE__PATHH": "x"}, "RECON_LAKE__PATHH"),
        ('name = "x', {}, "recon.toml"),
    ],
)
def test_a_wrong_setting_is_named_and_ends_the_examination(
    tmp_path: Path, business: str, environment: dict[str, str], named: str
) -> None:
    found = examined(config(tmp_path, business=business), environment=environment)
    assert found.exit_code is ExitCode.USAGE
    (finding,) = of(found, "settings")
    assert named in finding.told


def test_settings_are_told_by_name_and_place_never_by_value(tmp_path: Path) -> None:
    secret = f'api_key = "{CANARY}-filed"\nper_page = 50\n'
    environment = {
        **KEYS,
        "RECON_UNIFIED__PER_PAGE": "77",
        "RECON_CHECKS__SEVERITY__RECORD_VANISHED": "warning",
        "RECON_NOTIFY__URLS": f"json://{CANARY}-address",
    }
    del environment["RECON_UNIFIED__API_KEY"]
    path = config(tmp_path, UNIFIED + secret)
    found = examined(path, environment=environment)
    lines = told(found, "settings")
    assert (
        "unified: base_url, api_key from the file; RECON_UNIFIED__PER_PAGE from the "
        "environment" in lines
    )
    assert (
        "checks: RECON_CHECKS__SEVERITY__RECORD_VANISHED from the environment" in lines
    )
    said = json.dumps(found.as_dict()) + repr(found)
    assert CANARY not in said
    assert "77" not in "".join(lines)


def test_absent_products_are_told_as_skipped_and_are_no_trouble(tmp_path: Path) -> None:
    found = examined(config(tmp_path, UNIFIED))
    assert "escrow: no such section, so this product is skipped" in told(
        found, "settings", Level.OK
    )
    assert not of(found, "settings", Level.PROBLEM)
    assert not of(found, "reach", Level.WARNING)
    assert of(examined(config(tmp_path)), "reach", Level.WARNING)


@pytest.mark.parametrize(
    ("section", "variable"),
    [
        (UNIFIED, "RECON_UNIFIED__API_KEY"),
        (ESCROW, "RECON_ESCROW__CLIENT_SECRET"),
        (ESCROW.replace("client_id = 7\n", ""), "RECON_ESCROW__CLIENT_ID"),
        (CASH_IN, "RECON_CASH_IN__API_KEY"),
        (GATEWAY, "RECON_GATEWAY__API_KEY"),
    ],
)
def test_a_missing_credential_is_a_problem_of_settings_and_nothing_is_asked(
    tmp_path: Path, section: str, variable: str
) -> None:
    path = config(tmp_path, section)
    environment = {name: key for name, key in keys(path).items() if name != variable}
    seen: list[httpx.Request] = []
    found = examined(path, provider(seen=seen), environment)
    (finding,) = of(found, "settings", Level.PROBLEM)
    assert variable in finding.do
    assert found.exit_code is ExitCode.USAGE
    assert seen == []


@pytest.mark.parametrize(("mode", "expected"), [(0o600, 0), (0o640, 1), (0o604, 1)])
def test_a_secret_in_a_file_that_others_read_is_a_warning(
    tmp_path: Path, mode: int, expected: int
) -> None:
    path = config(tmp_path, UNIFIED + 'api_key = "k-in-file"\n')
    path.chmod(mode)
    lines = told(examined(path, environment={}), "settings", Level.WARNING)
    assert len(lines) == expected
    assert all("unified.api_key" in line for line in lines)
    bare = config(tmp_path, UNIFIED)
    bare.chmod(0o644)
    only = {"RECON_UNIFIED__API_KEY": "k"}
    assert not told(examined(bare, environment=only), "settings", Level.WARNING)


def test_what_a_wallet_needs_is_missed(tmp_path: Path) -> None:
    bare = config(tmp_path, f'[cash_in]\nbase_url = "{HOST}"\n')
    lines = told(examined(bare), "settings", Level.WARNING)
    assert [line.split()[0] for line in lines] == [
        "cash_in.wallet_iban",
        "cash_in.settled_statuses",
    ]
    whole = config(tmp_path, CASH_IN)
    assert not told(examined(whole), "settings", Level.WARNING)


def test_the_starters_own_name_is_noticed(tmp_path: Path) -> None:
    workspace.write(tmp_path)
    found = examined(tmp_path / "recon.toml", environment={})
    assert any("your-business" in line for line in told(found, "settings"))
    assert found.exit_code is ExitCode.CLEAN


def test_a_healthy_workspace_at_a_real_server_has_no_problem(tmp_path: Path) -> None:
    workspace.write(tmp_path)
    environment = {
        "RECON_UNIFIED__API_KEY": SANDBOX_KEYS.unified_key,
        "RECON_ESCROW__CLIENT_ID": str(SANDBOX_KEYS.escrow_client_id),
        "RECON_ESCROW__CLIENT_SECRET": SANDBOX_KEYS.escrow_client_secret,
        "RECON_CASH_IN__API_KEY": SANDBOX_KEYS.cash_in_key,
        "RECON_GATEWAY__API_KEY": SANDBOX_KEYS.gateway_key,
        "RECON_HOSTED__API_KEY": SANDBOX_KEYS.hosted_key,
    }
    with serve(small_world()) as running:
        sections = [
            part.replace(HOST, running.base_url)
            for part in (UNIFIED, ESCROW, CASH_IN, GATEWAY)
        ]
        path = config(tmp_path, *sections, business=f'name = "{BUSINESS}"')
        found = examine(path, environment=environment)
    assert [each for each in found.findings if each.level is Level.PROBLEM] == []
    assert found.exit_code is ExitCode.CLEAN
    assert sorted(told(found, "credentials")) == [
        "cash_in: accepted",
        "escrow: accepted",
        "gateway: is set; not tried, since it answers only about a token",
        "unified: accepted",
    ]
    assert len(told(found, "reach", Level.OK)) == 4
    assert len(told(found, "clock", Level.OK)) == 3
    assert not (tmp_path / "data" / "lake").exists()


def test_each_product_is_asked_once_with_its_own_credential(tmp_path: Path) -> None:
    seen: list[httpx.Request] = []
    examined(config(tmp_path, UNIFIED, ESCROW, CASH_IN), provider(seen=seen))
    asked = sorted(f"{each.method} {each.url.path}" for each in seen)
    assert asked == [
        "GET /escrow/api/v1/agreements",
        "GET /mpg/v1/business/tea-house/payment-methods",
        "GET /v3/business/tea-house/cash-in/account",
        "POST /sso/oauth/token",
    ]


@pytest.mark.parametrize(
    ("status", "area", "do"),
    [
        (401, "credentials", "RECON_UNIFIED__API_KEY"),
        (403, "credentials", "RECON_UNIFIED__API_KEY"),
        (404, "credentials", "business.name"),
        (422, "credentials", "business.name"),
        (429, "reach", "http.rate_limit"),
        (500, "reach", "unified.base_url"),
        (503, "reach", "unified.base_url"),
        (302, "reach", "unified.base_url"),
    ],
)
def test_a_refusal_says_what_to_look_at_and_is_not_repeated(
    tmp_path: Path, status: int, area: str, do: str
) -> None:
    seen: list[httpx.Request] = []
    answer = provider(
        status=status, body={"message": f"no {CANARY}-unified"}, seen=seen
    )
    found = examined(config(tmp_path, UNIFIED), answer)
    (finding,) = of(found, area, Level.PROBLEM)
    assert str(status) in finding.told
    assert do in finding.do
    assert CANARY not in finding.told
    assert found.exit_code is ExitCode.INCOMPLETE
    assert len(seen) == 1


def test_an_answer_that_is_none_of_the_providers_is_a_matter_of_the_address(
    tmp_path: Path,
) -> None:
    found = examined(config(tmp_path, UNIFIED), provider(body="hello"))
    (finding,) = of(found, "reach", Level.PROBLEM)
    assert "unified.base_url" in finding.do


def test_a_host_out_of_reach_is_told_by_the_step_that_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def unknown(_: str) -> None:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(reach, "_connect", unknown)
    broken = failing(lambda: httpx.ConnectError("no"))
    found = examined(config(tmp_path, UNIFIED, GATEWAY), broken)
    lines = told(found, "reach", Level.PROBLEM)
    assert [line.split(":")[0] for line in lines] == ["unified", "gateway"]
    assert all("its name is not known" in line for line in lines)
    assert found.exit_code is ExitCode.INCOMPLETE


def test_one_product_out_of_reach_does_not_hide_another(tmp_path: Path) -> None:
    def some(request: httpx.Request) -> httpx.Response:
        if "/mpg/" in request.url.path:
            raise httpx.ReadError("cut")
        return httpx.Response(200, json={"data": [], "success": True, "message": ""})

    path = config(tmp_path, UNIFIED, CASH_IN)
    found = examined(path, httpx.MockTransport(some))
    assert told(found, "credentials") == ["cash_in: accepted"]
    assert len(of(found, "reach", Level.PROBLEM)) == 1


@pytest.mark.parametrize(
    ("skew", "level", "word"),
    [
        (timedelta(), Level.OK, "agree"),
        (4 * MINUTE, Level.OK, "agree"),
        (-4 * MINUTE, Level.OK, "agree"),
        (6 * MINUTE, Level.PROBLEM, "behind"),
        (-6 * MINUTE, Level.PROBLEM, "ahead of"),
        (None, Level.OK, "does not say"),
    ],
)
def test_the_clocks_are_compared(
    tmp_path: Path, skew: timedelta | None, level: Level, word: str
) -> None:
    found = examined(config(tmp_path, UNIFIED), provider(skew=skew))
    (finding,) = of(found, "clock")
    assert finding.level is level
    assert word in finding.told
    expected = ExitCode.BREAKS_OPEN if level is Level.PROBLEM else ExitCode.CLEAN
    assert found.exit_code is expected


def test_a_refused_answer_still_tells_the_time(tmp_path: Path) -> None:
    found = examined(config(tmp_path, UNIFIED), provider(status=401, skew=9 * MINUTE))
    assert len(of(found, "clock", Level.PROBLEM)) == 1


def test_the_disk_is_looked_at_and_left_as_it_was(tmp_path: Path) -> None:
    found = examined(config(tmp_path))
    assert [line.split(":")[0] for line in told(found, "disk", Level.OK)] == [
        "lake.path",
        "reports.path",
    ]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["recon.toml"]


@pytest.mark.parametrize(
    ("free", "level"),
    [
        (disk.LEAST_BYTES - 1, Level.PROBLEM),
        (disk.LEAST_BYTES, Level.WARNING),
        (disk.AMPLE_BYTES - 1, Level.WARNING),
        (disk.AMPLE_BYTES, Level.OK),
    ],
)
def test_little_room_is_told_before_it_is_too_late(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int, level: Level
) -> None:
    usage = shutil.disk_usage(tmp_path)._replace(free=free)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    assert {each.level for each in of(examined(config(tmp_path)), "disk")} == {level}


def test_a_folder_that_cannot_be_written_is_a_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    found = of(examined(config(tmp_path)), "disk", Level.PROBLEM)
    assert len(found) == 2
    assert all("cannot be written" in each.told for each in found)


def test_a_lake_that_others_may_read_is_a_warning(tmp_path: Path, lake: Lake) -> None:
    path = config(tmp_path)
    assert not of(examined(path), "disk", Level.WARNING)
    lake.root.chmod(0o750)
    (finding,) = of(examined(path), "disk", Level.WARNING)
    assert finding.do == f"chmod 700 {lake.root}"


@pytest.mark.parametrize(
    ("size", "text"), [(0, "0 bytes"), (9_999, "9,999 bytes"), (10_000, "10 kB")]
)
def test_sizes_read_well(size: int, text: str) -> None:
    assert disk.readable(size) == text
    assert disk.readable(82 * 10**9) == "82 GB"


def test_a_whole_lake_is_told_with_its_size(tmp_path: Path, lake: Lake) -> None:
    found = examined(config(tmp_path), deep=True)
    (line,) = told(found, "lake")
    assert line.startswith("1 commit, 2 files, ")
    assert line.endswith("all as committed, 1 page rehashed")


def test_a_damaged_lake_is_told_file_by_file_and_healed_on_wish(
    tmp_path: Path, lake: Lake
) -> None:
    path = config(tmp_path)
    copies = tmp_path / "copies"
    shutil.copytree(lake.root, copies)
    file = lake.root / lake.commits()[0].files[1].path
    file.write_bytes(b"x")
    found = examined(path)
    (finding,) = of(found, "lake", Level.PROBLEM)
    assert finding.told.startswith(lake.commits()[0].files[1].path)
    assert "--restore" in finding.do
    assert found.exit_code is ExitCode.INCOMPLETE
    planned = examined(path, restore=copies, dry_run=True)
    assert of(planned, "lake", Level.PROBLEM)
    assert any("would be restored" in line for line in told(planned, "lake"))
    assert file.read_bytes() == b"x"
    mended = examined(path, restore=copies)
    assert mended.exit_code is ExitCode.CLEAN
    assert any("restored" in line for line in told(mended, "lake"))
    assert not of(examined(path), "lake", Level.PROBLEM)


def test_a_copy_that_does_not_help_says_why(tmp_path: Path, lake: Lake) -> None:
    (tmp_path / "copies").mkdir()
    (lake.root / lake.commits()[0].files[0].path).unlink()
    found = examined(config(tmp_path), restore=tmp_path / "copies")
    (finding,) = of(found, "lake", Level.PROBLEM)
    assert "the copy does not have it" in finding.do


def test_old_leftovers_are_a_warning_and_swept_on_wish(
    tmp_path: Path, lake: Lake
) -> None:
    path = config(tmp_path)
    left = lake.root / "pages" / "mandates" / "20260101T000000.000000Z-0.parquet"
    left.write_bytes(b"PAR1")
    assert not of(examined(path), "lake", Level.WARNING)  # a run may be at work
    then = time.time() - 2 * 86_400
    os.utime(left, (then, then))
    (finding,) = of(examined(path), "lake", Level.WARNING)
    assert "--sweep" in finding.do
    assert of(examined(path, sweep=True, dry_run=True), "lake", Level.WARNING)
    assert left.exists()
    swept = examined(path, sweep=True)
    assert not of(swept, "lake", Level.WARNING)
    assert not left.exists()
    assert any("removed 1 file (4 bytes)" in line for line in told(swept, "lake"))


def test_drafts_of_killed_pulls_are_swept_once_no_pull_can_go_on_from_them(
    tmp_path: Path, lake: Lake
) -> None:
    path = config(tmp_path)
    old, young = (
        lake.root / "drafts" / f"{name}.20260101T000000.000000Z-0.draft"
        for name in ("checkouts", "gateway_transactions")
    )
    other = lake.root / "drafts" / "notes.txt"
    old.parent.mkdir()
    for each in (old, young, other):
        each.write_bytes(b"answers")
    assert not of(examined(path, sweep=True), "lake", Level.WARNING)
    assert old.exists()  # it is young: the next pull may go on from it
    for each, days in ((old, 2), (young, 0.9), (other, 9)):
        then = time.time() - days * 86_400
        os.utime(each, (then, then))
    (finding,) = of(examined(path), "lake", Level.WARNING)
    assert "killed pulls of checkouts left 1 file (7 bytes)" in finding.told
    assert "--sweep" in finding.do
    planned = examined(path, sweep=True, dry_run=True)
    assert of(planned, "lake", Level.WARNING)
    assert any("would remove 1 file" in line for line in told(planned, "lake"))
    assert old.exists()
    swept = examined(path, sweep=True)
    assert not of(swept, "lake", Level.WARNING)
    assert any(
        "removed 1 file (7 bytes) of answers that killed pulls of checkouts" in line
        for line in told(swept, "lake")
    )
    assert sorted(each.name for each in old.parent.iterdir()) == [
        young.name,
        other.name,
    ]


def test_a_source_that_did_not_end_well_is_a_warning(
    tmp_path: Path, lake: Lake
) -> None:
    path = config(tmp_path)
    with lake.begin("pull", "mandates") as writing:
        writing.commit(complete=False, error="no whole answer")
    (finding,) = of(examined(path), "lake", Level.WARNING)
    assert "mandates" in finding.told
    assert finding.do == "recon pull mandates"
    committed(lake, ["b"])
    assert not of(examined(path), "lake", Level.WARNING)


def test_balances_of_another_iban_than_the_wallets_are_a_warning(
    tmp_path: Path, lake: Lake
) -> None:
    """No roll-forward is computed of them, and so no break can be found."""
    path = config(tmp_path, CASH_IN)

    def warned(iban: str) -> list[Finding]:
        row = {"at": datetime(2026, 10, 1, tzinfo=UTC), "iban": iban, "balance": 1}
        with lake.begin("import", "balances") as writing:
            writing.rows("balances", [row])
            writing.commit()
        return of(examined(path), "lake", Level.WARNING)

    (finding,) = warned("IR99")
    assert "IR84" in finding.told
    assert "IR99" in finding.told
    assert not warned("ir 84")


def test_a_lake_from_the_future_is_a_matter_of_the_clock(
    tmp_path: Path, lake: Lake
) -> None:
    record = lake.root / "commits" / "00000001.json"
    found = json.loads(record.read_text("utf-8"))
    later = datetime.now(UTC).replace(microsecond=0) + timedelta(hours=1)
    found["committed_at"] = later.isoformat()
    found["digest"] = ""
    record.write_bytes(msgspec.json.format(msgspec.json.encode(found)))
    (finding,) = of(examined(config(tmp_path)), "lake", Level.PROBLEM)
    assert "future" in finding.told


def test_an_address_of_no_bucket_is_a_setting_that_cannot_be(tmp_path: Path) -> None:
    found = examined(config(tmp_path, '[lake]\npath = "s3://Bucket/lake"\n'))
    (finding,) = of(found, "lake", Level.PROBLEM)
    assert "lake.path" in finding.told
    assert found.exit_code is ExitCode.USAGE


@pytest.fixture
def journal(lake: Lake) -> Iterator[Journal]:
    with Journal(lake.root / "journal.sqlite3") as journal:
        yield journal


def test_a_journal_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    found = examined(config(tmp_path, UNIFIED), look_up=True)
    assert len(told(found, "journal", Level.OK)) == 1
    assert not (tmp_path / "data").exists()


def test_requests_of_known_outcome_are_no_trouble(
    tmp_path: Path, journal: Journal
) -> None:
    number = journal.begin(Operation.DEPOSIT, "track-1", {})
    journal.end(number, Outcome.ANSWERED, status=200, answer=b"{}")
    found = examined(config(tmp_path))
    assert told(found, "journal") == [
        "every request that moves money has a known outcome"
    ]


def test_requests_of_unknown_outcome_are_listed_with_a_way_out(
    tmp_path: Path, journal: Journal
) -> None:
    for operation in (Operation.DEPOSIT, Operation.HOSTED_SEND):
        number = journal.begin(operation, f"{operation}-1", {"amount": 1})
        journal.end(number, Outcome.UNKNOWN, note="no whole answer within 30 s")
    found = examined(config(tmp_path))
    deposit, hosted = of(found, "journal", Level.PROBLEM)
    assert "deposit deposit-1" in deposit.told
    assert "no whole answer within 30 s" in deposit.told
    assert "recon import deposits" in deposit.do
    assert "--look-up" in hosted.do
    assert found.exit_code is ExitCode.BREAKS_OPEN


def test_a_look_up_journals_what_it_finds_unless_it_is_a_rehearsal(
    tmp_path: Path, journal: Journal
) -> None:
    number = journal.begin(Operation.CHECKOUT_CREATE, "order-1", {"amount": 1})
    journal.end(number, Outcome.UNKNOWN)
    checkout = {
        "id": "c-1",
        "request_id": "order-1",
        "amount": 1,
        "status": "not_paid",
        "payments": [],
    }
    meta = {"current_page": 1, "last_page": 1, "per_page": 100, "total": 1}
    answer = provider(
        body={"success": True, "message": "", "data": [checkout], "meta": meta}
    )
    path = config(tmp_path, UNIFIED)
    assert of(
        examined(path, answer, look_up=True, dry_run=True), "journal", Level.PROBLEM
    )
    assert len(journal.unknown()) == 1
    found = examined(path, answer, look_up=True)
    (line,) = told(found, "journal", Level.OK)
    assert "checkout_create order-1" in line
    assert "done: it is in the list" in line
    assert journal.unknown() == []


def test_what_a_look_up_cannot_settle_stays_a_problem(
    tmp_path: Path, journal: Journal
) -> None:
    number = journal.begin(Operation.DEPOSIT, "track-1", {})
    journal.end(number, Outcome.UNKNOWN)
    found = examined(config(tmp_path), look_up=True)
    (finding,) = of(found, "journal", Level.PROBLEM)
    assert "no way to look it up" in finding.told


def test_a_damaged_journal_is_a_problem(tmp_path: Path, lake: Lake) -> None:
    (lake.root / "journal.sqlite3").write_bytes(b"no database at all" * 100)
    (finding,) = of(examined(config(tmp_path)), "journal", Level.PROBLEM)
    assert "damaged" in finding.told


def notebooks(tmp_path: Path) -> list[Finding]:
    return of(examined(config(tmp_path)), "notebooks")


def test_notebooks_are_compared_with_the_installed_ones(tmp_path: Path) -> None:
    assert {each.level for each in notebooks(tmp_path)} == {Level.WARNING}
    workspace.write(tmp_path)
    (finding,) = notebooks(tmp_path)
    assert finding.told.endswith("as installed")
    own = min((tmp_path / "notebooks").glob("*.ipynb"))
    content = json.loads(own.read_text("utf-8"))
    content["metadata"]["run"] = "yesterday"
    own.write_text(json.dumps(content), "utf-8")
    assert notebooks(tmp_path)[0].told.endswith("as installed")
    content["cells"][0]["source"] = ["# mine"]
    own.write_text(json.dumps(content), "utf-8")
    changed = [each for each in notebooks(tmp_path) if "changed here" in each.told]
    assert [each.level for each in changed] == [Level.OK]
    os.utime(own, (0, 0))
    older = [each for each in notebooks(tmp_path) if "older" in each.told]
    assert [each.level for each in older] == [Level.WARNING]
    own.write_text("{", "utf-8")
    assert any("cannot be read" in each.told for each in notebooks(tmp_path))


@pytest.mark.parametrize(
    ("codes", "expected"),
    [
        ([], ExitCode.CLEAN),
        ([ExitCode.BREAKS_OPEN], ExitCode.BREAKS_OPEN),
        ([ExitCode.BREAKS_OPEN, ExitCode.INCOMPLETE], ExitCode.INCOMPLETE),
        ([ExitCode.INCOMPLETE, ExitCode.USAGE], ExitCode.USAGE),
    ],
)
def test_the_exit_code_is_the_first_that_fits(
    codes: list[ExitCode], expected: ExitCode
) -> None:
    found = [findings.ok("a", "x"), findings.warning("a", "x", "y")]
    found += [findings.problem("a", "x", "y", code) for code in codes]
    assert Diagnosis(found).exit_code is expected


def test_every_finding_that_is_not_well_says_what_to_do(
    tmp_path: Path, lake: Lake
) -> None:
    (lake.root / lake.commits()[0].files[0].path).unlink()
    found = examined(config(tmp_path, UNIFIED, CASH_IN), provider(status=500))
    assert found.findings
    for each in found.findings:
        assert bool(each.do) is (each.level is not Level.OK)
        assert "\n" not in each.told + each.do
