"""Decisions are added, attributed and read back; ids may be shortened."""

import pyarrow as pa
import pytest

from recon.errors import UsageError
from recon.reconcile import decisions
from recon.reconcile.breaks import break_id
from recon.reconcile.run import last_result, reconcile
from tests.reconcile.lake_history import History, at, unpaid

A = break_id("checkout_paid_without_payment", "unified", "a")
B = break_id("checkout_paid_without_payment", "unified", "b")


def table(*ids: str) -> pa.Table:
    return pa.table({"break_id": list(ids)})


def night(history: History, day: int) -> None:
    history.clock(at(day, 20))
    reconcile(history.lake, history.settings).close()


def test_a_decision_is_a_row_with_its_author_and_time(history: History) -> None:
    history.clock(at(2, 3))
    made = [decisions.decision(A, "resolve", reason=" paid by hand ")]
    commit = decisions.record(history.lake, made, by="sara")
    assert commit is not None
    assert (commit.kind, commit.source) == ("decision", "breaks")
    (row,) = history.lake.versions("decisions").to_pylist()
    assert (row["break_id"], row["action"], row["by"]) == (A, "resolve", "sara")
    assert (row["reason"], row["decided_at"]) == ("paid by hand", at(2, 3))


def test_no_decision_makes_no_commit(history: History) -> None:
    assert decisions.record(history.lake, [], by="sara") is None
    assert history.lake.commits() == []


def test_a_decision_without_an_author_is_refused(history: History) -> None:
    made = [decisions.decision(A, "acknowledge")]
    with pytest.raises(UsageError, match="author"):
        decisions.record(history.lake, made, by="  ")


def test_an_author_is_a_text_in_utf_8(history: History) -> None:
    made = [decisions.decision(A, "acknowledge")]
    with pytest.raises(UsageError, match="--by is not a text in UTF-8"):
        decisions.record(history.lake, made, by="s\udcff")
    assert history.lake.commits() == []


@pytest.mark.parametrize(
    ("action", "said"),
    [
        ("resolve", {}),
        ("resolve", {"reason": "  "}),
        ("assign", {}),
        ("note", {}),
        ("unresolve", {"reason": "x"}),
        ("note", {"reason": "x" * 4_001}),
        ("note", {"reason": "\x1b[31mred"}),
        ("assign", {"assignee": "x" * 201}),
    ],
)
def test_what_is_no_decision_is_refused(action: str, said: dict[str, str]) -> None:
    with pytest.raises(UsageError):
        decisions.decision(A, action, **said)


def test_an_acknowledgement_needs_no_reason() -> None:
    assert decisions.decision(A, "acknowledge").reason is None


def test_decisions_change_where_breaks_stand_after_the_run(history: History) -> None:
    history.pull("checkouts", unpaid("a", "b"))
    night(history, 1)
    history.clock(at(2))
    made = [decisions.decision(A, "resolve", reason="x")]
    decisions.record(history.lake, made, by="sara")
    with last_result(history.lake, history.settings) as result:
        stand = {row["record_id"]: row["status"] for row in result.breaks.to_pylist()}
    assert stand == {"a": "resolved", "b": "open"}


def test_a_beginning_is_an_id_where_only_one_break_has_it() -> None:
    known = table("aa00", "ab00", "b000")
    assert decisions.whole_ids(known, ["AB", "b", "ab00"]) == ["ab00", "b000"]


def test_every_unknown_or_ambiguous_id_is_named() -> None:
    with pytest.raises(UsageError) as error:
        decisions.whole_ids(table("aa00", "ab00"), ["a", "c1", "", "aa"])
    text = str(error.value)
    assert "a (the beginning of 2 ids), c1, an empty id;" in text
    assert "aa00" not in text


def test_the_last_assignee_and_note_count(history: History) -> None:
    for day, made in enumerate(
        [
            decisions.decision(A, "assign", assignee="sara"),
            decisions.decision(A, "note", reason="asked the bank"),
            decisions.decision(B, "note", reason="another"),
            decisions.decision(A, "assign", assignee="omid"),
            decisions.decision(A, "acknowledge"),
        ],
        start=1,
    ):
        history.clock(at(day))
        decisions.record(history.lake, [made], by="lead")
    known = decisions.standings(history.lake, at(9))
    assert (known[A].assignee, known[A].note) == ("omid", "asked the bank")
    assert [row["action"] for row in known[A].decisions] == [
        "assign",
        "note",
        "assign",
        "acknowledge",
    ]
    early = decisions.standings(history.lake, at(2))
    assert (early[A].assignee, early[A].note) == ("sara", "asked the bank")
    assert B not in early


def test_breaks_get_their_standing_and_the_rest_none(history: History) -> None:
    made = [decisions.decision(A, "assign", assignee="sara")]
    decisions.record(history.lake, made, by="lead")
    known = decisions.standings(history.lake, at(9))
    rows = decisions.with_standing(table(A, B), known).to_pylist()
    assert [row["assignee"] for row in rows] == ["sara", None]
    assert [row["note"] for row in rows] == [None, None]


@pytest.mark.parametrize(
    ("age", "bucket"),
    [
        (0, "0-1"),
        (1, "0-1"),
        (2, "2-7"),
        (7, "2-7"),
        (8, "8-30"),
        (30, "8-30"),
        (31, "31+"),
        (900, "31+"),
    ],
)
def test_an_age_falls_into_one_bucket(age: int, bucket: str) -> None:
    row = {"severity": "error", "age_days": age, "status": "open"}
    counted = next(r for r in decisions.ageing([row]) if r["severity"] == "error")
    assert {name for name, count in counted.items() if count == 1} == {bucket, "all"}


def test_only_what_waits_is_counted_and_every_severity_named() -> None:
    rows = [
        {"severity": "critical", "age_days": 3, "status": status}
        for status in ("open", "acknowledged", "resolved", "gone")
    ]
    found = decisions.ageing(rows)
    assert [row["severity"] for row in found] == [
        "critical",
        "error",
        "warning",
        "info",
    ]
    assert [row["2-7"] for row in found] == [2, 0, 0, 0]
