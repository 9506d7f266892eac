"""Settings: one clear error that names the key, and secrets that never show."""

import os
import pickle
import re
import traceback
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from recon import setting_files
from recon.errors import SettingsError
from recon.settings import SECTIONS, Secret, keys_of
from recon.times import EARLIEST

MINIMAL = '[business]\nname = "acme"\n'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "recon.toml"
    path.write_text(MINIMAL, encoding="utf-8")
    return path


def test_a_minimal_file_has_every_default(file: Path) -> None:
    found = setting_files.load(file, {})
    assert found.business.timezone.key == "Asia/Tehran"
    assert found.unified is None
    assert found.lake_path == str(file.parent / "data/lake")
    assert found.reports_path == file.parent / "data/reports"
    assert found.checks.clock_skew == timedelta(minutes=5)
    assert found.http.retries == 5
    assert found.lake.full_every == timedelta(days=7)


def test_the_environment_wins_over_the_file(file: Path) -> None:
    file.write_text(MINIMAL + "[unified]\nper_page = 7\n", encoding="utf-8")
    environment = {
        "RECON_UNIFIED__PER_PAGE": "50",
        "RECON_UNIFIED__API_KEY": "k",
        "RECON_HTTP__TIMEOUT": "5s",
        "RECON_CHECKS__PROVIDER_NAMES": "Pay, پرداخت",
        "OTHER": "x",
    }
    found = setting_files.load(file, environment)
    assert found.unified is not None
    assert found.unified.per_page == 50
    assert found.unified.api_key.reveal() == "k"
    assert found.http.timeout == timedelta(seconds=5)
    assert found.checks.provider_names == ("Pay", "پرداخت")


def test_the_file_is_found_by_argument_then_environment_then_folder(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other.toml"
    other.write_text('[business]\nname = "other"\n', encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    environment = {"RECON_CONFIG": str(other)}
    assert setting_files.load(file, environment).business.name == "acme"
    assert setting_files.load(None, environment).business.name == "other"
    assert setting_files.load(None, {}).business.name == "acme"


@pytest.mark.parametrize(
    ("text", "line", "key"),
    [
        ("[unified]\nper_page = 'x'\n", 4, "unified.per_page"),
        ("[unified]\nper_page = true\n", 4, "unified.per_page"),
        ("[unified]\n\nfee_bearer = 'me'\n", 5, "unified.fee_bearer"),
        ("[gateway]\nfee_bearer_since = 3\n", 4, "gateway.fee_bearer_since"),
        *(
            (f"[cash_in.wage_from_since]\n{line}", 3, "cash_in.wage_from_since")
            for line in ("2026-10-01 = 'customer'\n", "2026-10-32 = 'bank'\n")
        ),
        *(
            (f"[hosted.fee_bearer_since]\n{line}", 3, "hosted.fee_bearer_since")
            for line in (
                "2026-10-01 = 'me'\n",
                "2026-10-32 = 'customer'\n",
                "2026-10-01 = 'customer'\n1405-07-09 = 'business'\n",
                "'2022-03-22 00:30' = 'customer'\n",  # skipped in Tehran
            )
        ),
        *(
            (f"[cash_in]\n{text}", line, "cash_in.wallet_iban_since")
            for text, line in (
                ("wallet_iban_since = 'IR1'\n", 4),
                (
                    "wallet_iban = 'IR1'\n[cash_in.wallet_iban_since]\nsoon = 'IR2'\n",
                    5,
                ),
                ("[cash_in.wallet_iban_since]\n2026-10-01 = ' '\n", 4),
                ("[cash_in.wallet_iban_since]\n2026-10-01 = 7\n", 4),
                ("[cash_in.wallet_iban_since]\n2026-10-01 = 'IR2'\n", 4),  # from which
            )
        ),
        *(
            (f"[lake]\npath = '{path}'\n", 4, "lake.path")
            for path in ("s3:/bucket", "s3://", "s3:///b", "S3://b", "file:///srv/l")
        ),
        *(
            (f"[cash_in]\ndeposit_list_path = '{path}'\n", 4, "deposit_list_path")
            for path in ("https://pay.example/list", "/list?kind=S3CRET", "/list#all")
        ),
        ("[checks]\nclock_skew = '5 weeks'\n", 4, "checks.clock_skew"),
        ("[checks]\ndisabled = ['nope']\n", 4, "checks.disabled"),
        ("[checks.severity]\nnope = 'error'\n", 3, "checks.severity"),
        ("[gateway]\nbase_url = 'http://example.com'\n", 4, "gateway.base_url"),
        *(
            (
                f"[gateway]\nbase_url = 'https://pay.example/{end}'\n",
                4,
                "gateway.base_url",
            )
            for end in ("?token=S3CRET", "a?", "#S3CRET")
        ),
        *(
            (f'[gateway]\nbase_url = "https://{host}"\n', 4, "gateway.base_url")
            for host in (
                *("api..example", ".example", "api .example", "api-.example", "*.ex"),
                *("api\u200c.example", "xn--a.example", "1.2.3.999", f"{'a' * 64}.ex"),
                *("api\\t.example", "api.example/a\\tb", f"{'a.' * 127}ex"),
            )
        ),
        ("[gateway]\ntimezone = 'Mars/Base'\n", 4, "gateway.timezone"),
        *(
            (f"[gateway]\ntimezone = '{own}'\n", 4, "must be an IANA time zone")
            for own in ("localtime", "posix/Asia/Tehran", "right/UTC", "posixrules")
        ),
        ("[http]\nconcurrency = 0\n", 4, "http.concurrency"),
        ("[http]\nhurry = 1\n", 4, "http.hurry"),
        ("[nonsense]\n", 3, "nonsense"),
        ("unified = 3\n[lake]\n", None, "unified"),
    ],
)
def test_a_wrong_setting_names_file_line_and_key(
    file: Path, text: str, line: int | None, key: str
) -> None:
    head = "" if line is None else MINIMAL
    file.write_text(head + text + ("" if head else MINIMAL), encoding="utf-8")
    with pytest.raises(SettingsError) as caught:
        setting_files.load(file, {})
    place = f"{file}:{line}: " if line else str(file)
    assert str(caught.value).startswith(place)
    assert key in str(caught.value)
    assert "S3CRET" not in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "host",
    [
        *("api.example", "api.example.", "API.example:8443", "my_api", "10.0.0.1"),
        *("[2001:db8::1]:8443", "پرداخت.ir", "نامه\u200cای.example", "xn--mgba.ir"),
    ],
)
def test_a_host_is_a_name_of_any_letters_or_an_ip(file: Path, host: str) -> None:
    found = setting_files.load(file, {"RECON_HOSTED__BASE_URL": f"https://{host}/v1"})
    assert found.hosted is not None
    assert found.hosted.base_url == f"https://{host}/v1"


@pytest.mark.parametrize("path", ["./s3:/b", "/srv/s3:/b", "s3", "a:b/c", "12:/b"])
def test_a_folder_may_have_a_colon_in_its_name(file: Path, path: str) -> None:
    file.write_text(f"{MINIMAL}[lake]\npath = '{path}'\n", encoding="utf-8")
    found = setting_files.load(file, {})
    assert Path(found.lake_path) == file.parent / path


def test_a_lake_in_a_folder_whose_name_is_no_utf8_is_refused(tmp_path: Path) -> None:
    """Bytes of another encoding, or a locale that knows no Persian: no engine reads it.

    A lake elsewhere is read as ever.
    """
    folder = tmp_path / os.fsdecode(b"b\xd4\xcc")
    folder.mkdir()
    file = folder / "recon.toml"
    file.write_text(MINIMAL, encoding="utf-8")
    with pytest.raises(SettingsError, match=r"lake\.path: .* UTF-8 locale"):
        setting_files.load(file, {})

    elsewhere = tmp_path / "شعبه یک"
    found = setting_files.load(file, {"RECON_LAKE__PATH": str(elsewhere)})
    assert found.lake_path == str(elsewhere)
    bucket = setting_files.load(file, {"RECON_LAKE__PATH": "s3://bucket/lake"})
    assert bucket.lake_path == "s3://bucket/lake"


@pytest.mark.parametrize(
    "variable", ["RECON_NOPE__KEY", "RECON_HTTP__NOPE", "RECON_HTTP", "RECON_X"]
)
def test_an_unknown_variable_is_an_error_that_names_it(
    file: Path, variable: str
) -> None:
    with pytest.raises(SettingsError, match=variable):
        setting_files.load(file, {variable: "1"})


def test_a_severity_can_be_changed_from_the_environment(file: Path) -> None:
    check = "payment_redirect_stale"
    environment = {f"RECON_CHECKS__SEVERITY__{check.upper()}": "error"}
    assert setting_files.load(file, environment).checks.severity == {check: "error"}
    with pytest.raises(SettingsError, match="RECON_CHECKS__SEVERITY"):
        setting_files.load(file, {"RECON_CHECKS__SEVERITY__NOPE": "error"})
    wrong = {f"RECON_CHECKS__SEVERITY__{check.upper()}": "fatal"}
    with pytest.raises(SettingsError, match=f'"info" .* for {check}$'):
        setting_files.load(file, wrong)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("RECON_NOTIFY__URLS", "must be a list of texts"),
        ("RECON_UNIFIED__FEE_BEARER_SINCE", "must be a table of <day> ="),
        ("RECON_IMPORTS__WORDS", r"must be a table \[imports\.words"),
    ],
)
def test_what_is_no_json_in_the_environment_is_told_in_our_words(
    file: Path, name: str, told: str
) -> None:
    for value in ('["a", "b"', "[") if "URLS" in name else ("a", '{"a"'):
        with pytest.raises(SettingsError, match=f"^{name}: {told}"):
            setting_files.load(file, {name: value})


def test_a_missing_file_and_a_missing_name_say_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="recon init"):
        setting_files.load(tmp_path / "none.toml", {})
    (tmp_path / "recon.toml").write_text("[lake]\n", encoding="utf-8")
    with pytest.raises(SettingsError, match=r"business\.name"):
        setting_files.load(tmp_path / "recon.toml", {})
    for sign in "/\\?#%":  # each that a name may not have is told
        (tmp_path / "recon.toml").write_text(f"business.name = 'a{sign}b'\n", "utf-8")
        with pytest.raises(SettingsError, match=rf"business\.name.*\{sign}"):
            setting_files.load(tmp_path / "recon.toml", {})
    (tmp_path / "recon.toml").write_text("[lake\n", encoding="utf-8")
    with pytest.raises(SettingsError, match="line 1"):
        setting_files.load(tmp_path / "recon.toml", {})


def test_a_secret_never_shows(file: Path) -> None:
    canary = "canary-7f3a"
    found = setting_files.load(file, {"RECON_GATEWAY__API_KEY": canary})
    assert found.gateway is not None
    assert found.gateway.api_key.reveal() == canary
    shown = [repr(found), str(found), f"{found.gateway.api_key}", format(found.gateway)]
    assert not any(canary in text for text in shown)
    with pytest.raises(TypeError):
        pickle.dumps(found.gateway.api_key)
    try:
        setting_files.load(file, {"RECON_HTTP__RETRIES": canary})
    except SettingsError:
        assert canary not in traceback.format_exc()


def starter_sections() -> dict[str, str]:
    package = Path(setting_files.__file__).parent
    text = (package / "starter" / "recon.toml").read_text("utf-8")
    pieces = re.split(r"^#? ?\[(\w+)\]", text, flags=re.MULTILINE)
    return dict(zip(pieces[1::2], pieces[2::2], strict=True))


def test_every_key_has_a_reader_and_the_starter_file_names_each() -> None:
    starter = starter_sections()
    assert set(starter) == set(SECTIONS)
    for section in SECTIONS:
        assert all(callable(read) for read in keys_of(section).values())
        missing = [key for key in keys_of(section) if key not in starter[section]]
        assert missing == [], section
    assert Secret("x") == Secret("x")


def test_what_the_starter_file_shows_are_the_defaults(file: Path) -> None:
    """Each commented line of plain values, taken as it stands, changes nothing."""
    for section in ("limits", "http", "engine", "webhooks", "reports"):
        lines = starter_sections()[section].splitlines()
        shown = [line[2:] for line in lines if re.match(r"# \w+ = ", line)]
        text = "\n".join([f"[{section}]", *shown])
        file.write_text(MINIMAL + text, encoding="utf-8")
        found = getattr(setting_files.load(file, {}), section)
        usual = SECTIONS[section]()
        if section == "http":  # its rate is an example: there is none usually
            found = replace(found, rate_limit=None)
        assert found == usual


def test_who_bears_the_fee_since_when_is_read_from_file_and_environment(
    file: Path,
) -> None:
    text = "[unified.fee_bearer_since]\n1405-07-09 = 'customer'\n"
    file.write_text(MINIMAL + text, encoding="utf-8")
    variable = "RECON_GATEWAY__FEE_BEARER_SINCE"
    given = {variable: '{"2026-10-01 14:30": "customer"}'}
    found = setting_files.load(file, given).fee_bearers()
    days = {
        product: setting_files.load(file, given).instants_of(each.fee_bearer_since)
        for product, each in found.items()
    }
    assert days == {
        "unified": {datetime(2026, 9, 30, 20, 30, tzinfo=UTC): "customer"},
        "gateway": {datetime(2026, 10, 1, 11, tzinfo=UTC): "customer"},
        "hosted": {},
    }
    with pytest.raises(SettingsError, match=variable):
        setting_files.load(file, {variable: "customer"})


def test_the_wallets_of_all_times_are_read_in_their_order(file: Path) -> None:
    text = (
        "[cash_in]\nwallet_iban = 'ir 1'\n[cash_in.wallet_iban_since]\n"
        "2026-11-01 = 'IR-3'\n1405-07-09 = 'ir2'\n"
    )
    file.write_text(MINIMAL + text, encoding="utf-8")
    found = setting_files.load(file, {})
    begins = datetime(2026, 9, 30, 20, 30, tzinfo=UTC)
    later = datetime(2026, 10, 31, 20, 30, tzinfo=UTC)
    assert list(found.wallet_ibans().items()) == [
        (EARLIEST, "IR1"),
        (begins, "IR2"),
        (later, "IR3"),
    ]
    second = timedelta(seconds=1)
    asked = [found.wallet_iban_at(at) for at in (begins - second, begins, later)]
    assert asked == ["IR1", "IR2", "IR3"]
    file.write_text(MINIMAL, encoding="utf-8")
    assert setting_files.load(file, {}).wallet_iban_at(later) == ""


def test_a_limit_is_read_as_people_write_it(file: Path) -> None:
    text = '[limits]\nbody = "8MiB"\nsource_time = "2h"\npages = 500\n'
    file.write_text(MINIMAL + text, encoding="utf-8")
    found = setting_files.load(file, {"RECON_LIMITS__DEPTH": "12"}).limits
    assert (found.body, found.pages, found.depth) == (8 * 2**20, 500, 12)
    assert found.source_time == timedelta(hours=2)
    for bad in ("0", "-1", "x", "1.5", str(10**12)):
        with pytest.raises(SettingsError, match="RECON_LIMITS__PAGES"):
            setting_files.load(file, {"RECON_LIMITS__PAGES": bad})


@pytest.mark.parametrize(
    "written",
    [
        "ir06 0120 0000",
        "IR0601200000",
        "IR06-0120-0000",
        "IR۰۶۰۱۲۰۰۰۰۰",
        "IR06\u202f0120\u00a00000",
    ],
)
def test_an_iban_is_read_however_it_is_spaced_or_cased(
    written: str, file: Path
) -> None:
    file.write_text(MINIMAL + f'[cash_in]\nwallet_iban = "{written}"\n', "utf-8")
    found = setting_files.load(file, {}).cash_in
    assert found is not None
    assert found.wallet_iban == "IR0601200000"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            '[business]\nname = "x"\nname = "y"\n# end',
            ":3: a key stands in its section",
        ),
        ('[business]\nname = "x"\n[business]\n', ":3: a section stands in it twice"),
        ("[business]\nname = x", ":2: a value is none: a text needs straight quotes"),
        ("[business]\nname = “x”", ":2: a value is none: a text needs straight quotes"),
        ('[lake]\npath = "C:\\Users"', ":2: a backslash in a text: write two"),
        ('[lake]\npath = "C:\\data"', ":2: a backslash in a text: write two"),
        ('[business]\nname = "x\n', ":2: a text has no quote at its end"),
        ('name = "x"\n[business]', ":1: name: stands above the first [section]"),
    ],
)
def test_a_slip_of_the_pen_is_told_with_its_line(
    tmp_path: Path, text: str, told: str
) -> None:
    path = tmp_path / "recon.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError) as error:
        setting_files.load(path, environment={})
    assert str(error.value).startswith(f"{path}{told}")


def test_a_link_that_leads_to_itself_is_a_path_like_any(file: Path) -> None:
    """Whoever opens it says what is wrong with it, in a line."""
    loop = file.parent / "loop"
    loop.symlink_to("loop")
    file.write_text(f"{MINIMAL}[lake]\npath = 'loop'\n", encoding="utf-8")
    assert setting_files.load(file, {}).lake_path == str(loop)
