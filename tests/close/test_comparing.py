"""A pack's files and those made again: to the byte, or what both versions know."""

import csv
import json

from recon.close.comparing import Comparison, compare


def compared(
    packed: dict[str, bytes], made: dict[str, bytes], *, same_rules: bool = False
) -> Comparison:
    return compare(frozenset(packed), packed.__getitem__, made, same_rules=same_rules)


def told(name: str, packed: bytes, made: bytes) -> list[str]:
    return compared({name: packed}, {name: made}).differences


def test_by_the_same_rules_every_byte_counts() -> None:
    packed = {"a.csv": b"id,amount\n1,100\n", "b.csv": b"id\n"}
    made = {"a.csv": b"id,amount,more\n1,100,x\n", "c.csv": b"id\n"}
    found = compared(packed, made, same_rules=True)
    assert found.recomputed == 0
    assert found.notes == []
    assert found.differences == [
        "a.csv: line 1 comes out as another one",
        "b.csv: it is not in the figures made again",
        "c.csv: it is not in the pack",
    ]


def test_a_line_more_or_less_is_counted() -> None:
    found = compared({"a.csv": b"id\n1\n"}, {"a.csv": b"id\n"}, same_rules=True)
    assert found.differences == ["a.csv: it has 2 lines, made again 1"]


def test_a_file_and_a_column_that_came_later_are_no_difference() -> None:
    packed = {"a.csv": b"\xef\xbb\xbfid,amount\n1,100\n2,\n"}
    made = {"a.csv": b"\xef\xbb\xbfnew,amount,id\nx,100,1\n,,2\n", "b.csv": b"id\n"}
    found = compared(packed, made)
    assert (found.recomputed, found.differences) == (1, [])
    assert found.notes == ["b.csv: it was no part of a pack then"]


def test_a_column_that_came_later_beside_a_long_cell_is_no_difference() -> None:
    before = csv.field_size_limit(131_072)  # as a process has it that imported nothing
    long = b"x" * 140_000
    try:
        assert told("a.csv", b"id\n" + long, b"new,id\n1," + long) == []
    finally:
        csv.field_size_limit(before)


def test_a_file_or_a_column_that_is_made_no_more_is_told() -> None:
    assert compared({"a.csv": b"id\n"}, {}).differences == [
        "a.csv: it is not in the figures made again"
    ]
    assert told("a.csv", b"id,amount\n1,100\n", b"id,more\n1,100\n") == [
        (
            "a.csv: line 1 (amount) comes out as another one "
            "(1 in the pack alone, 1 made again alone)"
        )
    ]


def test_an_amount_that_comes_out_otherwise_is_told_with_its_column() -> None:
    packed = b"id,amount\n1,100\n2,200\n3,300\n"
    made = b"id,amount,more\n1,100,x\n2,201,x\n3,300,x\n4,400,x\n"
    assert told("a.csv", packed, made) == [
        (
            "a.csv: line 3 (amount) comes out as another one "
            "(1 in the pack alone, 2 made again alone)"
        )
    ]


def test_another_row_in_a_rows_place_names_no_column() -> None:
    assert told("a.csv", b"id,amount\n1,100\n", b"id,amount\n2,300\n") == [
        (
            "a.csv: line 2 comes out as another one "
            "(1 in the pack alone, 1 made again alone)"
        )
    ]


def test_rows_in_another_order_are_told() -> None:
    assert told("a.csv", b"id\n1\n2\n", b"id\n2\n1\n") == [
        (
            "a.csv: line 2 comes out as another one "
            "(0 in the pack alone, 0 made again alone)"
        )
    ]


def test_keys_that_came_later_and_the_name_of_the_run_are_no_difference() -> None:
    packed = {"run_id": "a", "open": {"error": 3}, "rows": [{"amount": 1}]}
    later = {"run_id": "b", "open": {"error": 3, "by": 1}, "rows": [{"amount": 1}]}
    later |= {"rows": [{"amount": 1, "more": 2}], "never_read": []}
    for amount, count in ((1, 0), (2, 1)):
        later["rows"] = [{"amount": amount, "more": 2}]
        packed_text, made = json.dumps(packed).encode(), json.dumps(later).encode()
        assert len(told("summary.json", packed_text, made)) == count
    gone = json.dumps({"run_id": "b", "open": {}, "rows": []}).encode()
    assert told("summary.json", packed_text, gone)


def test_what_is_not_well_formed_is_compared_as_it_stands() -> None:
    for name in ("a.csv", "a.json", "a.txt"):
        assert compared({name: b"\xff{"}, {name: b"\xff{"}).recomputed == 1
        assert told(name, b"\xff{", b"{}") == [
            (
                f"{name}: line 1 comes out as another one "
                "(1 in the pack alone, 1 made again alone)"
            )
        ]
    assert told("a.csv", b"", b"id\n1\n")
    assert told("a.csv", b"id,amount\n1\n", b"id,amount,more\n1\n")


def test_a_text_that_is_no_table_is_compared_line_by_line() -> None:
    """What stands behind a comma of the journal is no column that came later."""
    packed = b'option "title" "x"\n2026-10-01 * "a, 5"\n'
    made = b'option "title" "x"\n2026-10-01 * "a, 6"\n'
    assert told("journal.beancount", packed, made) == [
        (
            "journal.beancount: line 2 comes out as another one "
            "(1 in the pack alone, 1 made again alone)"
        )
    ]


def test_a_figure_that_became_a_list_is_told() -> None:
    assert told("summary.json", b'{"open": 3}', b'{"open": [3]}')
    assert told("summary.json", b'{"open": [3]}', b'{"open": 3}')
    assert told("summary.json", b'{"open": [3]}', b'{"open": [3, 3]}')
