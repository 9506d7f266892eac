"""A terminal that is too narrow for a table shows all of it, in more lines."""

import io
import sys
from collections.abc import Callable
from functools import partial

import pytest
from rich.cells import cell_len

from recon.cli import breaks, voice, webhooks
from recon.cli.group import run
from recon.cli.output import print_lines, print_table
from recon.cli.verdict import print_summary

BREAKS = [
    {
        "break_id": "2f0f29179da340aa",
        "check": "bank_debit_missing",
        "record_id": "b621ed9c-4be4-4f0d-a4b2-cf2f82c38b83",
        "difference": -477_000_000,
        "note": None,
    },
    {
        "break_id": "f618856d67535d54",
        "check": "book_amount_mismatch",
        "record_id": "793404266",
        "difference": 1,
        "note": "asked on Monday",
    },
]
COLUMNS = tuple(BREAKS[0])
GROUPS = {"breaks": breaks.command, "webhooks": webhooks.command}


class Terminal(io.StringIO):
    """Standard output as a terminal."""

    def isatty(self) -> bool:
        return True

    def lines(self) -> list[str]:
        """Return what was printed since it was last asked."""
        printed = self.getvalue()
        self.seek(0)
        self.truncate()
        return printed.splitlines()


def terminal_of(monkeypatch: pytest.MonkeyPatch, width: int) -> Terminal:
    """Make standard output a terminal of so many columns; for the test alone."""
    monkeypatch.setenv("COLUMNS", str(width))
    shown = Terminal()
    monkeypatch.setattr(sys, "stdout", shown)
    return shown


def test_a_row_goes_on_below_its_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Amounts and ids are whole, cells stand under names, blank lines are left out."""
    terminal = terminal_of(monkeypatch, 60)
    print_table(BREAKS, COLUMNS)
    assert terminal.lines() == [
        "break id          check",
        "    record id                               difference",
        "    note",
        "─" * 60,
        "2f0f29179da340aa  bank_debit_missing",
        "    b621ed9c-4be4-4f0d-a4b2-cf2f82c38b83  -477,000,000",
        "f618856d67535d54  book_amount_mismatch",
        "    793404266                                        1",
        "    asked on Monday",
    ]


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_a_terminal_without_drawn_lines_gets_dashes(
    encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would be told sixty times of a sign that it lacks, over several lines."""
    terminal = terminal_of(monkeypatch, 60)
    monkeypatch.setattr(Terminal, "encoding", encoding)
    print_table(BREAKS, COLUMNS)
    assert "-" * 60 in terminal.lines()


def test_a_table_that_fits_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """The near miss: as wide as the terminal, to the column; one less, and it folds."""
    terminal = terminal_of(monkeypatch, 60)
    natural = 16 + 20 + 36 + 12 + 15 + 5 * 3 + 1
    monkeypatch.setenv("COLUMNS", str(natural))
    print_table(BREAKS, COLUMNS)
    drawn = "\n".join(terminal.lines())
    assert "│" in drawn
    assert "…" not in drawn
    monkeypatch.setenv("COLUMNS", str(natural - 1))
    print_table(BREAKS, COLUMNS)
    assert "│" not in "\n".join(terminal.lines())


def test_what_is_wider_than_a_line_is_wrapped(monkeypatch: pytest.MonkeyPatch) -> None:
    """No sign of it is lost; a row whose first cell is empty keeps its line."""
    terminal = terminal_of(monkeypatch, 60)
    detail = "Debits of 0 are in the statement, the deposits ask for 477,000,000. "
    long_id = "IR370757503512617502035249:2026-10-16T08:54:21Z:-35600000:1-of-more"
    print_table([{"n": None, "of": detail * 2}, {"n": 5, "of": long_id}], ("n", "of"))
    lines = terminal.lines()
    assert max(map(len, lines)) <= 60
    assert lines[3] == ""
    assert " ".join(line.strip() for line in lines[4:7]) == (detail * 2).strip()
    assert lines[7] == "5"
    assert "".join(line.strip() for line in lines[8:]) == long_id


def test_no_amount_within_an_id_is_torn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its last line began with `0:1`, and the one before ended with an amount."""
    terminal = terminal_of(monkeypatch, 60)
    long_id = "IR370757503512617502035249:2026-10-16T08:54:21Z:-35600000:1"
    print_table([{"check": "bank_debit_unexplained", "id": long_id}], ("check", "id"))
    assert terminal.lines()[3:] == [
        "bank_debit_unexplained",
        "    IR370757503512617502035249:2026-10-16T08:54:21Z:",
        "    -35600000:1",
    ]


def test_columns_stand_below_each_other_in_a_pipe_whatever_their_signs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A half-space takes no place of a terminal, and some signs take two."""
    rows = [
        {"name": "چای\u200cخانه", "open": 1},
        {"name": "支付", "open": 2},
        {"name": "tea house", "open": 3},
    ]
    print_table(rows, ("name", "open"))
    lines = capsys.readouterr().out.splitlines()
    assert {cell_len(line) for line in lines[1:]} == {len("tea house  3")}


def test_records_of_the_evidence_stand_apart(
    capsys: pytest.CaptureFixture[str],
) -> None:
    breaks._print_evidence({"records": [{"table": "a", "n": 1}, {"table": "b"}]})
    told = capsys.readouterr().out
    assert told == "\nrecords:\n  table: a\n  n: 1\n\n  table: b\n"


def test_long_lines_are_broken_between_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """Below their own indent; what has no space, and a drawn sum, stay as they are."""
    terminal = terminal_of(monkeypatch, 60)
    address = "https://provider.example/" + "a" * 60
    print_lines(
        f"  Do: look for the debit under another amount or account; then\n{address}"
    )
    assert terminal.lines() == [
        "  Do: look for the debit under another amount or account;",
        "  then",
        address,
    ]


def test_stored_lines_stay_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever copies a query, or a stored answer, gets no further lines."""
    terminal = terminal_of(monkeypatch, 60)
    query = "select record_id, related_id from missing where amount > 0 -- all"
    breaks._print_evidence({"rule": {"do": "ask " * 20}, "query": {"sql": query}})
    lines = terminal.lines()
    assert f"  sql: {query}" in lines
    assert max(len(line) for line in lines if "ask" in line) <= 60


def test_the_verdict_breaks_no_amount_and_no_id(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A terminal of 40 columns showed `10,020,0` and the rest on the next line."""
    terminal = terminal_of(monkeypatch, 40)
    run_id = "75244ba5afaf"
    print_summary(
        {
            "as_of": "2026-11-29T01:04:59Z",
            "run_id": run_id,
            "complete": True,
            "sources": {"checkouts": {"complete": True}},
            "breaks": {"open": {"by_severity": {}, "by_check": {}}},
            "wallet": {"closing": None},
            "duplicate_payments": {"orders": 3, "excess": 10_020_000},
        }
    )
    lines = terminal.lines()
    assert max(map(len, lines)) <= 40
    words = " ".join(lines).split()
    assert run_id in words
    assert "10,020,000" in words


@pytest.mark.parametrize("speak", [voice.say, partial(voice.complain, code=1)])
def test_what_a_command_says_beside_its_results_is_broken_between_words(
    speak: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A refused closing names many checks; standard error is a terminal of its own."""
    monkeypatch.setenv("COLUMNS", "40")
    shown = Terminal()
    monkeypatch.setattr(sys, "stderr", shown)
    speak("the period 2026-10 cannot be closed: deposit_entry_over_limit, and more")
    lines = shown.lines()
    assert max(map(len, lines)) <= 40
    assert any("deposit_entry_over_limit," in line for line in lines)


def test_a_pipe_gets_long_lines_whole(capsys: pytest.CaptureFixture[str]) -> None:
    """A program, and a log, read lines."""
    print_lines("word " * 30)
    assert capsys.readouterr().out == "word " * 30 + "\n"


@pytest.mark.parametrize("name", GROUPS)
def test_subcommands_are_listed_by_whole_sentences(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Click cuts them off where the longest name leaves no room."""
    monkeypatch.setenv("COLUMNS", "60")
    assert run([name, "--help"]) == 0
    told = " ".join(capsys.readouterr().out.partition("Commands:")[2].split())
    assert "..." not in told
    for each in GROUPS[name].commands.values():
        assert " ".join(str(each.help).split("\n\n")[0].split()) in told
