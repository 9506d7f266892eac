"""Each area of the doctor: what is as it should be, what is not, and what to do."""

import json
import os
import socket
from datetime import timedelta
from pathlib import Path

import httpx
import pytest

from recon import workspace
from recon.doctor import (
    Diagnosis,
    Finding,
    Level,
    configuration,
    examine,
    findings,
    reach,
)
from recon.errors import ExitCode
from recon.lake import Lake
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
from tests.sandbox.small_world import BUSINESS, small_world

MINUTE = timedelta(minutes=1)


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


def test_what_a_wallet_needs_is_missed(tmp_path: Path) -> None:
    bare = config(tmp_path, f'[cash_in]\nbase_url = "{HOST}"\n')
    lines = told(examined(bare), "settings", Level.WARNING)
    assert [line.split()[0] for line in lines] == [
        "cash_in.wallet_iban",
        "cash_in.settled_statuses",
    ]
    whole = config(tmp_path, CASH_IN)
    assert not told(examined(whole), "settings", Level.WARNING)


def test_settings_of_two_buckets_in_a_folder_share_a_journal(tmp_path: Path) -> None:
    """What one sent, or was delivered, the nights of the other take as well."""
    lake = '[lake]\npath = "s3://bucket/{}"\n'
    other = config(tmp_path, lake.format("b")).rename(tmp_path / "trial.toml")
    (tmp_path / "pyproject.toml").write_text("[lake]\npath = 7\n", "utf-8")
    (tmp_path / "broken.toml").write_text("lake = [", "utf-8")
    path = config(tmp_path, lake.format("a"))
    _, found = configuration.read(path, {})
    (said,) = [each for each in found if each.level is Level.WARNING]
    assert said.told.startswith(
        "trial.toml beside recon.toml names another lake (s3://bucket/b), and both "
    )
    assert "a folder of its own" in said.do
    for whole in ("", lake.format("a/")):
        other.write_text(f'[business]\nname = "x"\n{whole}', "utf-8")
        _, found = configuration.read(path, {})
        assert not [each for each in found if each.level is Level.WARNING]


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


@pytest.mark.parametrize("date", ["04 Oct 2026 20:30:00 +{0}", "04 Oct {0} 20:30:00"])
def test_a_date_that_no_calendar_has_ends_no_examination(
    tmp_path: Path, date: str
) -> None:
    usual = provider()

    def answer(request: httpx.Request) -> httpx.Response:
        answered = usual.handler(request)
        assert isinstance(answered, httpx.Response)
        answered.headers["date"] = date.format(10**20)
        return answered

    found = examined(config(tmp_path, UNIFIED), httpx.MockTransport(answer))
    (finding,) = of(found, "clock")
    assert "does not say" in finding.told


def test_a_refused_answer_still_tells_the_time(tmp_path: Path) -> None:
    found = examined(config(tmp_path, UNIFIED), provider(status=401, skew=9 * MINUTE))
    assert len(of(found, "clock", Level.PROBLEM)) == 1


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
    broken = [each for each in notebooks(tmp_path) if "as notebooks" in each.told]
    assert [each.told.split(":")[0] for each in broken] == [own.stem]


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
