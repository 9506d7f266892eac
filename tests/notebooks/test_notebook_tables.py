"""The tables of a notebook as a browser draws them: how their numbers are written."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
import pytest
from IPython.utils.capture import capture_output

from recon import magics
from tests.endpoints.chromium import NAMES, PROGRAM, Browser, chromium
from tests.notebooks.shells import own_shell

pytestmark = pytest.mark.skipif(
    PROGRAM is None, reason=f"no browser on this machine: none of {', '.join(NAMES)}"
)

COLUMNS: dict[str, tuple[list[object], list[str]]] = {
    "year": ([2026, 2025, None], ["2026", "2025", ""]),
    "jalali": ([1404, 1404, 1405], ["1404", "1404", "1405"]),
    "payments": ([2026, 788, 12_345], ["2,026", "788", "12,345"]),
    "rials": ([2**53 + 3, 2026, 0], ["9,007,199,254,740,995", "2,026", "0"]),
    "large": ([2**53 + 3, 2026, 2025], ["9,007,199,254,740,995", "2,026", "2,025"]),
    "average": (
        [2870694.6653806586, 5e6, 0.0],
        ["2,870,694.67", "5,000,000.00", "0.00"],
    ),
    "double": ([1e17, 1.5, 2.0], ["about 100,000,000,000,000,000", "1.50", "2.00"]),
    "share": ([0.9040637, 0.99999, None], ["0.9041", "1.000", "NaN"]),
    "text": (["2026", "12345", "0912"], ["2026", "12345", "0912"]),
}


@contextmanager
def shown_in_browser(frame: pd.DataFrame, folder: Path) -> Iterator[Browser]:
    """Show a table as a notebook does, in a page of its own."""
    with own_shell() as shell, capture_output() as said:
        magics.load_ipython_extension(shell)
        table = frame._repr_html_()
    script = "".join(output.data.get("text/html", "") for output in said.outputs)
    page = folder / "page.html"
    page.write_text(f"<!doctype html><meta charset=utf-8>{script}{table}", "utf-8")
    with chromium(folder / "profile") as browser:
        browser.go(page.as_uri())
        browser.wait_for("document.querySelector('.dt-container tbody td')")
        yield browser


# JupyterLab puts each output into the page by itself, and its scripts run then.
ADDED = "document.body.append(document.createRange().createContextualFragment({}))"


@pytest.mark.parametrize("is_light", ["true", "false"])
def test_tables_have_the_theme_of_the_page(is_light: str, tmp_path: Path) -> None:
    """Names of columns stood white on white where JupyterLab is dark."""
    with own_shell() as shell, capture_output() as said:
        magics.load_ipython_extension(shell)
    page = tmp_path / "page.html"
    page.write_text(f'<!doctype html><body data-jp-theme-light="{is_light}">', "utf-8")
    with chromium(tmp_path / "profile") as browser:
        browser.go(page.as_uri())
        for part in said.outputs:
            browser.value(ADDED.format(json.dumps(part.data["text/html"])))
        browser.wait_for("window._itables_dark_theme_watcher")
        is_dark = browser.value("document.documentElement.classList.contains('dark')")
    assert is_dark == (is_light == "false")


def test_years_are_plain_and_averages_are_rounded(tmp_path: Path) -> None:
    whole = {"year", "jalali", "payments", "rials", "large"}
    frame = pd.DataFrame(
        {
            name: pd.array(given, dtype="Int64") if name in whole else given
            for name, (given, _) in COLUMNS.items()
        }
    )
    with shown_in_browser(frame, tmp_path) as browser:
        shown = browser.value(
            "[...document.querySelectorAll('.dt-container tbody tr')]"
            ".map(row => [...row.cells].map(cell => cell.textContent))"
        )
    wanted = [texts for _, texts in COLUMNS.values()]
    assert [list(column) for column in zip(*shown, strict=True)] == wanted


SHOWN = (
    "[...document.querySelectorAll('.dt-container tbody tr')]"
    ".map(row => [...row.cells].map(cell => cell.textContent))"
)


# What counts a table's bytes asks a time for values without its zone.
@pytest.mark.filterwarnings("ignore:Series.values returning:DeprecationWarning")
def test_what_is_not_known_is_an_empty_cell(tmp_path: Path) -> None:
    """Times read NaT and texts NaN, where Excel and the CSV have nothing."""
    at = pd.Series(pd.to_datetime(["2026-03-01T08:30:00Z", None]))
    frame = pd.DataFrame(
        {
            "at": at.astype("datetime64[us, UTC]"),
            "day": pd.Series(pd.to_datetime(["2026-03-01", None])),
            "after": pd.Series(pd.to_timedelta([90, None], unit="s")),
            "related_id": pd.array(["NaN", None], dtype="str"),
            "mixed": pd.Series(["None", None], dtype=object),
            "amount": pd.array([1, None], dtype="Int64"),
        }
    )
    before = frame.copy()
    with shown_in_browser(frame, tmp_path) as browser:
        first, second = browser.value(SHOWN)
    stands = ["2026-03-01 08:30:00+00:00", "2026-03-01", "0 days 00:01:30"]
    assert first == [*stands, "NaN", "None", "1"]
    assert second == [""] * 6
    pd.testing.assert_frame_equal(frame, before)  # to look at it changes nothing
    assert "NaN" in frame["related_id"].head(1)._repr_html_()
    assert "NaN" not in frame["related_id"].tail(1)._repr_html_()


CUT = "document.querySelector('.dt-layout-table > .dt-layout-full')"
MASK = f"{CUT}.style.maskImage"
BAR = f"{CUT}.offsetHeight - {CUT}.clientHeight"


def test_a_wide_table_fades_where_it_goes_on_and_has_a_bar(tmp_path: Path) -> None:
    """An amount was cut between two digits, and where bars hide nothing said so."""
    wide = pd.DataFrame({f"expected_closing_{n}": [746_036_148] for n in range(20)})
    with shown_in_browser(wide, tmp_path) as browser:
        browser.wait_for(f"{MASK}.endsWith('transparent)')")
        assert "right, transparent" not in browser.value(MASK)
        assert browser.value(BAR) >= 8
        browser.value(f"{CUT}.scrollLeft = 300")
        browser.wait_for(f"{MASK}.split('transparent').length === 3")
        browser.value(f"{CUT}.scrollLeft = 99999")
        browser.wait_for(f"!{MASK}.endsWith('transparent)')")
        assert "right, transparent" in browser.value(MASK)
        browser.resize(6000)
        browser.wait_for(f"{MASK} === ''")


# A click on the name of a column sorts by it, a second one the other way round.
CLICK = "document.querySelector('.dt-container thead th .dt-column-order').click()"
FIRST_CELLS = (
    "[...document.querySelectorAll('.dt-container tbody tr')]"
    ".map(row => row.cells[0].textContent)"
)


@pytest.mark.parametrize("large", [35_600_000, 2**53 + 3])
def test_a_column_with_empty_cells_is_sorted_by_amount(
    large: int, tmp_path: Path
) -> None:
    """It was sorted as text: 970,000 stood above 376,000,000."""
    amounts = [970_000, None, large, -477_000_000, 3_300, None]
    frame = pd.DataFrame({"difference": pd.array(amounts, dtype="Int64")})
    with shown_in_browser(frame, tmp_path) as browser:
        browser.value(CLICK)
        rising = browser.value(FIRST_CELLS)
        browser.value(CLICK)
        falling = browser.value(FIRST_CELLS)
    known = ["-477,000,000", "3,300", "970,000", f"{large:,}"]
    assert rising == ["", "", *known]
    assert falling == [*reversed(known), "", ""]
