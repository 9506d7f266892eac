"""An edited breaks.csv: what it changes, what it leaves, what it may not say."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from recon.cli.group import run
from recon.errors import RefusedFile
from recon.reconcile.decision_files import Edits, read_edits
from recon.reconcile.decisions import Standing
from recon.reconcile.run import last_result, reconcile
from tests.reconcile.lake_history import History, at, only, unpaid

OPEN, KNOWN, DONE, OLD = ("a" * 16, "b" * 16, "c" * 16, "d" * 16)
STANDING = Standing(
    assignee="sara", note="asked", decisions=({"action": "note", "reason": "asked"},)
)


def read(
    tmp_path: Path, text: str, known: Mapping[str, Standing] | None = None
) -> Edits:
    path = tmp_path / "edited.csv"
    path.write_text(text, encoding="utf-8")
    breaks = pa.table(
        {
            "break_id": [OPEN, KNOWN, DONE],
            "status": ["open", "acknowledged", "resolved"],
            "expected": pa.array([1_000_000, None, 7], pa.int64()),
            "actual": pa.array([-250, None, 7], pa.int64()),
            "related_id": ["p1 p2 09121112233", None, "17"],
            "detail": ["now", "Of IR851 it expired, 3 days after.", "now"],
        }
    )
    earlier = {
        OPEN: {"related_id": ["p1 p2 09121112233", "", "p1 09121112233"]},
        KNOWN: {
            "related_id": ["q"],
            "detail": [None, "Of IR851 it waits, 90 minutes after."],
        },
        DONE: {"related_id": ["17"], "detail": ["then"]},
        OLD: {"related_id": [""]},
    }
    return read_edits(path, breaks, known or {}, earlier)


def asked(edits: Edits) -> list[tuple[str, str, str | None]]:
    return [
        (change.break_id[0], change.action, change.reason or change.assignee)
        for change in edits.changes
    ]


def test_only_a_status_that_differs_is_a_decision(tmp_path: Path) -> None:
    text = (
        "\ufeffcheck,break_id,status,reason\n"
        f"x,{OPEN},Resolved,paid by hand\nx,{KNOWN},acknowledged,\n"
        f"x,{DONE},acknowledged,\n"
    )
    edits = read(tmp_path, text)
    assert asked(edits) == [
        ("a", "resolve", "paid by hand"),
        ("c", "acknowledge", None),
    ]
    assert edits.left == []


def test_an_assignee_and_a_note_count_where_they_are_new(tmp_path: Path) -> None:
    text = (
        "break_id,status,assignee,note\n"
        f"{OPEN},open,omid,look at it\n{KNOWN},acknowledged,sara,asked\n"
        f"{DONE},resolved,,\n"
    )
    edits = read(tmp_path, text, {KNOWN: STANDING})
    assert asked(edits) == [("a", "assign", "omid"), ("a", "note", "look at it")]


@pytest.mark.parametrize(
    ("identity", "status"), [(KNOWN, "open"), (DONE, "gone"), (OLD, "resolved")]
)
def test_what_nobody_decides_is_left_and_said(
    tmp_path: Path, identity: str, status: str
) -> None:
    edits = read(tmp_path, f"break_id,status,reason\n{identity},{status},x\n")
    assert edits.changes == []
    (line,) = edits.left
    assert line.startswith(f"line 2: {identity}")


def test_a_decision_is_undone_by_its_own_word_and_never_by_an_old_file(
    tmp_path: Path,
) -> None:
    text = (
        "break_id,status,reason\n"
        f"{OPEN},reopened,\n{KNOWN},Reopened,not settled\n{DONE},open,\n"
    )
    edits = read(tmp_path, text)
    assert asked(edits) == [("b", "reopen", "not settled")]
    (line,) = edits.left
    assert line.startswith(f"line 4: {DONE} stays resolved")
    assert line.endswith("reopened opens it again")


@pytest.mark.parametrize(
    ("rows", "place"),
    [
        ("{unknown},open,\n", "line 2, column break_id: "),
        ("1.2E+15,open,\n", "line 2, column break_id: '1.2E+15' is no break"),
        (",open,\n", "line 2, column break_id: "),
        ("{open},closed,\n", "line 2, column status: 'closed' is not allowed"),
        ("{open},,\n", "line 2, column status: "),
        ("{open},resolved,\n", "line 2, column reason: "),
        ("{open},open,\n{open},open,\n", "line 3, column break_id: "),
        ("{open}\n", "line 2: has 1 cells"),
    ],
)
def test_a_bad_row_is_refused_with_its_place(
    tmp_path: Path, rows: str, place: str
) -> None:
    text = "break_id,status,reason\n" + rows.format(unknown="f" * 16, open=OPEN)
    with pytest.raises(RefusedFile) as error:
        read(tmp_path, text)
    assert str(error.value).startswith(f"edited.csv, {place}")


@pytest.mark.parametrize(
    "header",
    ["Break ID,Status,Reason,Note,ACTUAL", "BREAK_ID,STATUS,REASON,note ,Actual"],
)
def test_our_columns_are_known_by_their_letters(tmp_path: Path, header: str) -> None:
    """Who adds a column writes it with a capital; nothing in it may be lost."""
    text = f"{header}\n{OPEN},acknowledged,asked them,call,-250\n"
    edits = read(tmp_path, text)
    assert asked(edits) == [("a", "acknowledge", "asked them"), ("a", "note", "call")]
    (line,) = read(tmp_path, text.replace("-250", "250")).left
    assert "actual is 250 in the file" in line


def test_two_columns_that_may_be_one_of_ours_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RefusedFile, match=r"several .* so: 'Note', 'NOTE'$"):
        read(tmp_path, f"break_id,status,Note,NOTE\n{OPEN},open,a,b\n")


@pytest.mark.parametrize(("count", "more"), [(8, "and 3 more rows"), (6, "1 more row")])
def test_every_bad_row_is_told_and_none_of_the_good_ones_counts(
    tmp_path: Path, count: int, more: str
) -> None:
    bad = "".join(f"{number:016x},open\n" for number in range(count))
    with pytest.raises(RefusedFile) as error:
        read(tmp_path, f"break_id,status\n{OPEN},acknowledged\n{bad}")
    assert "line 3, column break_id" in str(error.value)
    assert "line 7, column break_id" in str(error.value)
    assert str(error.value).endswith(more)


@pytest.mark.parametrize("text", ["status\nopen\n", "break_id\nx\n", "", "a;b\n1;2\n"])
def test_a_file_of_another_shape_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(RefusedFile, match=r"edited\.csv"):
        read(tmp_path, text)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RefusedFile, match="cannot be read"):
        read_edits(tmp_path / "none.csv", pa.table({"break_id": []}), {}, {})


@pytest.mark.parametrize(
    ("word", "action", "now", "reason"),
    [
        ("acknowledged", "acknowledge", OPEN, ""),
        ("acknowledged", "acknowledge", DONE, ""),
        ("acknowledged", "acknowledge", OPEN, "known"),
        ("resolved", "resolve", OPEN, ""),
        ("resolved", "resolve", OPEN, "known"),
        ("reopened", "reopen", KNOWN, ""),
    ],
)
def test_a_file_older_than_the_last_decision_undoes_it_only_with_a_new_reason(
    tmp_path: Path, word: str, action: str, now: str, reason: str
) -> None:
    """What one person's old file says must not overrule what another decided since."""
    made = ({"action": action, "reason": "known"}, {"action": "note", "reason": "x"})
    known = {now: Standing(decisions=made)}
    head = "break_id,status,reason\n"
    edits = read(tmp_path, f"{head}{now},{word},{reason}\n", known)
    assert edits.changes == []
    assert "with a new reason" in edits.left[0]
    edits = read(tmp_path, f"{head}{now},{word},looked again\n", known)
    assert asked(edits) == [(now[0], action, "looked again")]


@pytest.mark.parametrize(
    ("status", "amounts", "counts"),
    [
        ("resolved", "1000000,-250", True),
        ("resolved", '"1,000,000",-250', True),
        ("resolved", "1E+06,-250", True),  # a spreadsheet's rounding tells nothing
        ("resolved", "1000000,-251", False),
        ("acknowledged", ",-250", False),
        ("reopened", "1000000,-251", False),  # it is open already
    ],
)
def test_a_file_with_another_amount_than_the_last_run_found_decides_nothing(
    tmp_path: Path, status: str, amounts: str, counts: bool
) -> None:
    """Who edited the file has not seen what stands there now."""
    text = f"break_id,status,reason,expected,actual\n{OPEN},{status},x,{amounts}\n"
    edits = read(tmp_path, text)
    assert bool(edits.changes) == counts
    if status != "reopened":
        assert bool(edits.left) != counts


@pytest.mark.parametrize(
    ("identity", "related", "counts"),
    [
        (OPEN, "p1 p2 09121112233", True),
        (OPEN, "p1 p2 0912*****33", True),  # as a report masks it
        (OPEN, "'p1 p2 09121112233", True),  # made harmless
        (OPEN, "p1-p2", True),  # what no run found tells nothing
        (OPEN, "p1 09121112233", False),
        (OPEN, "p1 0912*****33", False),
        (OPEN, "", False),
        (KNOWN, "", True),
        (KNOWN, "q", False),
        (DONE, "17", True),
    ],
)
def test_a_file_with_another_record_beside_a_break_decides_nothing(
    tmp_path: Path, identity: str, related: str, counts: bool
) -> None:
    """A receipt that a third payment shows by now has no amount that would tell."""
    status = "acknowledged" if identity == DONE else "resolved"
    text = f"break_id,status,reason,related_id\n{identity},{status},x,{related}\n"
    edits = read(tmp_path, text)
    assert bool(edits.changes) == counts
    told = [f"line 2: {identity} stays" in line for line in edits.left]
    assert told == ([] if counts else [True])
    if not counts:
        assert (
            "related_id is another one by now; decide on a newer file" in edits.left[0]
        )


@pytest.mark.parametrize(
    ("identity", "detail", "is_taken"),
    [
        (KNOWN, "Of IR851 it waits, 50 minutes after.", False),
        (KNOWN, "Of IR8*1 it waits, 50 minutes after.", False),
        (KNOWN, "Of IR851 it expired, 2 days after.", True),
        (KNOWN, "Of IR8*1 it expired, 2 days after.", True),
        (KNOWN, "looked at by sara", True),
        (KNOWN, "", True),
        (DONE, "then", True),
    ],
)
def test_a_break_without_amounts_that_says_something_else_by_now_is_not_decided(
    identity: str, detail: str, *, is_taken: bool, tmp_path: Path
) -> None:
    """Longer than before is nothing else, nor what a person wrote there."""
    text = f'break_id,status,reason,detail\n{identity},reopened,x,"{detail}"\n'
    assert read(tmp_path, text).changes
    status = "resolved" if identity == KNOWN else "acknowledged"
    edits = read(tmp_path, text.replace("reopened", status))
    assert bool(edits.changes) is is_taken
    if not is_taken:
        (line,) = edits.left
        assert "detail is another one by now; decide on a newer file" in line


def test_a_file_of_a_night_before_resolves_no_further_duplicate(
    history: History,
    config: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    history.settings = replace(
        history.settings, checks=only("checkout_request_duplicate")
    )
    file = tmp_path / "edited.csv"
    for day, names in ((1, "ab"), (2, "abc")):
        rows = unpaid(*names, paid=True)
        checkouts = [{**each, "request_id": "r"} for each in rows["checkouts"]]
        history.pull("checkouts", {**rows, "checkouts": checkouts})
        history.clock(at(day, 20))
        with reconcile(history.lake, history.settings) as result:
            (row,) = result.breaks.to_pylist()
        columns = ("break_id", "expected", "actual", "related_id")
        cells = [str(row[name] or "") for name in columns]
        line = ",".join([*cells, "resolved", "one order"])
        file.with_suffix(f".{day}").write_text(
            ",".join([*columns, "status", "reason"]) + f"\n{line}\n"
        )
    (old, new) = (file.with_suffix(f".{day}") for day in (1, 2))
    for each, status in ((old, "open"), (new, "resolved")):
        file.write_bytes(each.read_bytes())
        assert run(["--config", str(config), "breaks", "apply", str(file)]) == 0
        assert ("is another one by now" in capsys.readouterr().err) == (each == old)
        with last_result(history.lake, history.settings) as shown:
            assert shown.breaks["status"].to_pylist() == [status]


def test_amounts_that_were_and_are_empty_are_the_same(tmp_path: Path) -> None:
    text = f"break_id,status,reason,expected,actual\n{KNOWN},resolved,x,,\n"
    assert asked(read(tmp_path, text)) == [("b", "resolve", "x")]


def test_another_amount_does_not_keep_a_break_from_being_opened_again(
    tmp_path: Path,
) -> None:
    text = f"break_id,status,reason,expected,actual\n{DONE},reopened,x,8,7\n"
    assert asked(read(tmp_path, text)) == [("c", "reopen", "x")]
