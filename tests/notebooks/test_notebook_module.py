import os
import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
from IPython.core.error import UsageError as LineError
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from recon import assets, magics, notebook
from recon.errors import SettingsError, UsageError
from recon.lake import Lake
from recon.reports.summary import STALE_AFTER
from recon.times import format_instant
from tests.notebooks.cells import cells
from tests.notebooks.shells import own_shell
from tests.notebooks.small_lake import empty_lake, small_lake, write_config


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made: Path = tmp_path_factory.mktemp("small")
    small_lake(made)
    return made


@pytest.fixture(autouse=True, scope="module")
def closed() -> Iterator[None]:
    yield
    notebook.close()


@pytest.fixture
def looked(folder: Path) -> None:
    """Look at the small lake, without looking anew for every test."""
    session = notebook._sessions[-1] if notebook._sessions else None
    if not session or session.settings.folder != folder or session.period:
        notebook.use(str(folder / "recon.toml"))


@pytest.fixture
def shell() -> Iterator[InteractiveShell]:
    with own_shell() as shell:
        magics.load_ipython_extension(shell)
        yield shell


def test_amounts_are_exact_integers_and_dates_are_dates(looked: None) -> None:
    for frame in (
        notebook.breaks(),
        notebook.rollforward(),
        notebook.flows(),
        notebook.failures(),
        notebook.lake("payments"),
    ):
        assert len(frame)
        assert not [name for name in frame if frame[name].dtype.kind == "f"]
    assert notebook.flows()["amount"].dtype == pd.Int64Dtype()
    assert notebook.breaks()["difference"].isna().any()
    assert notebook.flows()["business_date"].dtype.kind == "M"


def test_an_amount_beyond_what_a_float_holds_stays_exact() -> None:
    amount = 2**62 + 1
    rows = [{"amount": amount}, {"amount": None}]
    made = notebook.frame(pa.Table.from_pylist(rows))
    assert int(made["amount"][0]) == amount
    assert made["amount"].sum() == amount


def test_nothing_is_written_by_looking(folder: Path, looked: None) -> None:
    before = sorted(path for path in folder.rglob("*"))
    notebook.verdict()
    notebook.flows()
    notebook.lake()
    assert sorted(path for path in folder.rglob("*")) == before


def test_what_is_shown_is_what_the_last_run_saw(tmp_path: Path) -> None:
    _, lake = small_lake(tmp_path)
    last = lake.commits(kind="run")[-1]
    with lake.begin("pull", "checkouts") as writing:
        writing.rows("payments", [{"id": "later", "checkout_id": "later"}])
        writing.commit()
    notebook.use(str(tmp_path / "recon.toml"))
    assert notebook._session().result.as_of == last.as_of
    assert "later" not in set(notebook.lake("payments")["id"])


def test_a_period_is_given_in_iso_or_jalali(folder: Path) -> None:
    config = str(folder / "recon.toml")
    notebook.use(config, "2026-03-02", "2026-03-03")
    iso = notebook.flows()
    notebook.use(config, "1404-12-11", "۱۴۰۴/۱۲/۱۲")
    pd.testing.assert_frame_equal(notebook.flows(), iso)
    assert set(iso["business_date"].dt.day) == {2, 3}


@pytest.mark.parametrize(
    ("first", "explained", "rests"), [("2026-03-05", 1, 2), ("2026-03-06", 0, 1)]
)
def test_a_rest_and_what_explains_it_are_those_of_the_period(
    folder: Path, first: str, explained: int, rests: int
) -> None:
    notebook.use(str(folder / "recon.toml"), first, "2026-03-09")
    odd = notebook.rollforward().query("difference != 0")
    assert len(notebook.explanations()) == explained
    assert notebook.differences()["to_at"].tolist() == odd["to_at"].tolist()
    assert len(odd) == rests


def test_a_wrong_date_is_one_clear_error(folder: Path) -> None:
    with pytest.raises(UsageError, match=r"^to: 'March' is not a time"):
        notebook.use(str(folder / "recon.toml"), "", "March")


def test_after_a_mistake_no_cell_answers_of_another_period(folder: Path) -> None:
    config = str(folder / "recon.toml")
    notebook.use(config, "2026-03-02", "2026-03-02")
    for wrong in ((config, "March"), (str(folder / "none.toml"),)):
        with pytest.raises(UsageError) as told:
            notebook.use(*wrong)
        with pytest.raises(UsageError, match=f"nothing is looked at: {told.value}"):
            notebook.flows()
    notebook.use(config, "2026-03-03")
    assert min(notebook.flows()["business_date"].dt.day) == 3


def test_a_look_that_is_stopped_shows_no_other_period(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(notebook, "last_result", stopped)
        with pytest.raises(KeyboardInterrupt):
            notebook.use(str(folder / "recon.toml"), "2026-03-02")
    with pytest.raises(UsageError, match="nothing is looked at: KeyboardInterrupt"):
        notebook.flows()


def test_personal_data_is_masked_unless_kept(tmp_path: Path) -> None:
    _, lake = empty_lake(tmp_path)
    with lake.begin("import", "adjustments") as writing:
        kind = {"kind": "to 09121112233", "amount": 1}
        writing.rows("adjustments", [kind | {"at": lake.now()}])
        writing.commit()
    notebook.use(str(tmp_path / "recon.toml"))
    assert notebook.flows()["payment_method"].tolist() == ["to 0912*****33"]
    text = (tmp_path / "recon.toml").read_text()
    text = text.replace('path = "reports"', 'path = "reports"\npersonal_data = "keep"')
    (tmp_path / "recon.toml").write_text(text)
    notebook.use(str(tmp_path / "recon.toml"))
    assert notebook.flows()["payment_method"].tolist() == ["to 09121112233"]


def test_what_was_imported_is_listed(looked: None) -> None:
    found = notebook.imports()
    assert {"kind", "name", "rows", "voided_at"} <= set(found.columns)
    assert len(found) == len(notebook.sql("select * from imports"))


def test_the_lake_lists_its_tables_and_gives_one(looked: None) -> None:
    listed = notebook.lake().set_index("table")["versions"]
    assert listed["payments"] == 144
    assert listed["customers"] == 0
    assert len(notebook.lake("payments")) == 144
    assert len(notebook.lake("adjustments")) == 1
    with pytest.raises(UsageError, match="no table of the lake"):
        notebook.lake("payment")


@pytest.mark.parametrize("place", [".", "notebooks"])
def test_the_settings_of_this_folder_or_the_one_above_are_found(
    place: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / place).mkdir(exist_ok=True)
    notebook.close()
    monkeypatch.chdir(folder / place)
    monkeypatch.delenv("RECON_CONFIG", raising=False)
    assert notebook.settings().folder == folder.resolve()


def test_recon_config_comes_before_the_folder(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notebook.close()
    write_config(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RECON_CONFIG", str(folder / "recon.toml"))
    assert notebook.settings().folder == folder.resolve()


def test_no_settings_anywhere_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notebook.close()
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RECON_CONFIG", raising=False)
    with pytest.raises(SettingsError, match="does not exist"):
        notebook.breaks()


def test_the_verdict_names_the_loudest_check_first(looked: None) -> None:
    verdict = notebook.verdict()
    assert verdict.mood == "bad"
    severities = [step.severity for step in verdict.steps]
    assert severities == sorted(severities, key=["critical", "error", "warning"].index)
    assert "12,345 rials in 1 interval are unexplained" in str(verdict)
    assert "| `wallet_rollforward` | critical | 1 |" in verdict._repr_markdown_()


def test_the_verdict_says_of_what_instant_and_period_it_is(folder: Path) -> None:
    """Opened weeks after the last night, it must not pass for one of today."""
    config = str(folder / "recon.toml")
    notebook.use(config, "2026-03-02", "1404-12-12")
    found = notebook.verdict()
    at = format_instant(notebook._session().result.as_of)
    for said in (str(found), found._repr_markdown_().replace("\n- ", "\n")):
        assert f"As of {at}.\nBusiness dates from 2026-03-02 to 2026-03-03." in said


@pytest.mark.parametrize(
    ("first", "last"),
    [
        (date(2026, 3, 2), date(2026, 3, 3)),
        (pd.Timestamp("2026-03-02"), datetime(2026, 3, 3, 20, 29, 59, tzinfo=UTC)),
        (pd.Timestamp("2026-03-01 20:30Z"), "1404-12-12"),
    ],
)
def test_a_period_may_be_given_as_dates(
    folder: Path, first: notebook.When, last: notebook.When
) -> None:
    notebook.use(str(folder / "recon.toml"), first, last)
    dates = "Business dates from 2026-03-02 to 2026-03-03."
    assert dates in str(notebook.verdict())


def test_a_date_that_is_none_is_refused(folder: Path) -> None:
    with pytest.raises(UsageError, match="from: 'NaT' is not a time"):
        notebook.use(str(folder / "recon.toml"), from_=pd.NaT)


def test_a_verdict_of_long_ago_says_so(
    looked: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = notebook._session()
    assert "Last read at" not in str(notebook.verdict())
    monkeypatch.setattr(session, "present", session.result.as_of + STALE_AFTER)
    said = str(notebook.verdict())
    for name in ("agreements", "checkouts"):  # together only if read in one second
        assert re.search(rf"and shown as it was then: [^.]*\b{name}\b", said)


def test_an_empty_lake_says_what_is_missing(tmp_path: Path) -> None:
    empty_lake(tmp_path)
    notebook.use(str(tmp_path / "recon.toml"))
    said = str(notebook.verdict())
    assert "no source was ever read" in said
    assert "recon nightly" in said
    assert not Path(tmp_path / "lake").exists() or not Lake(tmp_path / "lake").commits()


def test_a_cell_that_is_run_again_brings_the_script_of_the_tables(
    folder: Path, shell: InteractiveShell
) -> None:
    written = []
    for number in (1, 1, 2):
        shell.execution_count = number
        with capture_output() as shown:
            notebook.use(str(folder / "recon.toml"))
        written.append(any("<script" in str(out.data) for out in shown.outputs))
    assert written == [False, False, True]


def test_the_line_magic_shows_a_result(looked: None, shell: InteractiveShell) -> None:
    assert shell.run_line_magic("recon", "") == notebook.verdict()
    shown = shell.run_line_magic("recon", "flows")
    pd.testing.assert_frame_equal(shown, notebook.flows())
    assert len(shell.run_line_magic("recon", "lake mandates")) == 2


@pytest.mark.parametrize("line", ["nothing", "lake no_such_table", "flows too many"])
def test_a_wrong_line_is_one_line(
    line: str, looked: None, shell: InteractiveShell
) -> None:
    with pytest.raises(LineError, match="%recon"):
        shell.run_line_magic("recon", line)


def test_the_cell_magic_answers_a_query_and_keeps_it(
    looked: None, shell: InteractiveShell
) -> None:
    query = "select sum(amount_rial) as rials from stg_unified__payments"
    answer = shell.run_cell_magic("reconsql", "", query)
    assert int(answer["rials"][0]) == notebook.lake("payments")["amount"].sum()
    assert shell.run_cell_magic("reconsql", "mine", query) is None
    pd.testing.assert_frame_equal(shell.user_ns["mine"], answer)


@pytest.mark.parametrize(
    ("name", "query"),
    [("", "select nonsense from nowhere"), ("a b", "select 1 as one")],
)
def test_a_wrong_query_is_one_line(
    name: str, query: str, looked: None, shell: InteractiveShell
) -> None:
    with pytest.raises(LineError):
        shell.run_cell_magic("reconsql", name, query)


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("select * from paymnts", 'Did you mean "payments"? (`show tables` lists '),
        ("select amount from payments", 'bindings: "amount_rial", '),
    ],
)
def test_a_wrong_name_in_a_query_is_told_with_a_right_one(
    query: str, told: str, looked: None, shell: InteractiveShell
) -> None:
    with pytest.raises(LineError) as refused:
        shell.run_cell_magic("reconsql", "", query)
    assert told in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_real_kernel_runs_the_first_notebook_and_shows_its_charts(
    folder: Path, tmp_path: Path
) -> None:
    source = assets.notebooks_folder() / "01_first_look.ipynb"
    out = tmp_path / "done.ipynb"
    root = Path(__file__).resolve().parents[2]
    command = [sys.executable, "-m", "papermill", str(source), str(out)]
    environment = os.environ | {
        "RECON_CONFIG": str(folder / "recon.toml"),
        "PYTHONPATH": str(root),
        "IPYTHONDIR": str(tmp_path / "ipython"),
    }
    done = subprocess.run(
        command,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    shown = [output for cell in cells(out) for output in cell.outputs or ()]
    assert sum("image/png" in output.get("data", ()) for output in shown) == 3
    assert "12,345 rials" in out.read_text()


def test_the_evidence_shows_records_and_answers_without_personal_data(
    looked: None,
) -> None:
    found = notebook.breaks().set_index("check")
    late = found.loc["payment_timeout_uncertain", "break_id"].iloc[0]
    shown = notebook.evidence(late)
    assert shown.found["records"]
    assert "WITHDRAWAL_TIMEOUT" in shown.found["pages"][0]["excerpt"]
    for text in (str(shown), shown._repr_markdown_()):
        assert "09121112233" not in text
        assert "Rezaei" not in text
        assert "payment-01-0-3" in text
    escrow = notebook.evidence(found.loc["escrow_dispute_open", "break_id"])
    assert "09120000002" not in str(escrow)
    assert "0000000021" not in str(escrow)


def test_without_a_break_in_the_period_nothing_is_said_of_others(
    folder: Path,
) -> None:
    notebook.use(str(folder / "recon.toml"), "1999-01-01", "1999-01-02")
    assert "in this period" in notebook.evidence()._repr_markdown_()


def test_evidence_is_of_the_loudest_check_where_none_is_named(looked: None) -> None:
    found = notebook.evidence().found["break"]
    assert found["check"] == notebook.verdict().steps[0].check


def test_an_unknown_break_is_one_clear_error(looked: None) -> None:
    with pytest.raises(UsageError, match="no such break"):
        notebook.evidence("0123456789abcdef")


def test_sql_knows_the_short_names_and_the_results(looked: None) -> None:
    counted = notebook.sql(
        "select (select count(*) from payments) as payments, "
        "(select count(*) from breaks) as breaks"
    )
    assert counted.iloc[0].to_list() == [144, len(notebook.breaks())]
