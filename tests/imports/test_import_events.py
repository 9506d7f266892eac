import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recon.errors import RefusedFile
from recon.imports.events import canonical
from recon.lake import Lake
from tests.imports.import_cases import stored, taken, write_csv

PAID: dict[str, Any] = {
    "created": 1760000000,
    "type": "buyer_paid_agreement",
    "data": {
        "tracking_code": "AG-1",
        "trace_id": "t-1",
        "transaction_ref_id": "r-1",
        "payer_mobile": "09120000000",
        "amount": "2500000",
    },
}


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "lake")


def write(path: Path, *events: Any) -> Path:
    lines = [each if isinstance(each, str) else json.dumps(each) for each in events]
    path.write_text("\n".join(lines))
    return path


def with_data(**members: Any) -> dict[str, Any]:
    return PAID | {"data": PAID["data"] | members}


def test_an_envelope_is_stored_with_what_the_checks_read(
    lake: Lake, tmp_path: Path
) -> None:
    taken(lake, "events", write(tmp_path / "a.jsonl", PAID))
    (row,) = stored(lake, "events")
    assert row["created"] == datetime(2025, 10, 9, 8, 53, 20, tzinfo=UTC)
    assert row["type"] == "buyer_paid_agreement"
    assert json.loads(row["data"]) == PAID["data"]
    assert (row["tracking_code"], row["trace_id"], row["amount"]) == (
        "AG-1",
        "t-1",
        2_500_000,
    )
    assert (row["state"], row["origin"], row["position"]) == (None, "import", 1)


def test_equal_events_are_equal_rows_whatever_their_keys_order(
    lake: Lake, tmp_path: Path
) -> None:
    turned = {
        "data": dict(reversed(PAID["data"].items())),
        "type": PAID["type"],
        "created": PAID["created"],
    }
    report = taken(lake, "events", write(tmp_path / "a.jsonl", PAID, turned))
    assert report.files[0].repeated_rows == 1
    assert lake.current("events").num_rows == 1


@pytest.mark.parametrize(
    "other",
    [
        PAID | {"created": 1760000001},
        PAID | {"type": "agreement_finalized"},
        with_data(amount="2500001"),
        with_data(note=""),
    ],
)
def test_events_that_differ_are_two(
    other: dict[str, Any], lake: Lake, tmp_path: Path
) -> None:
    taken(lake, "events", write(tmp_path / "a.jsonl", PAID, other))
    assert lake.current("events").num_rows == 2


def test_an_unknown_event_and_further_fields_are_kept(
    lake: Lake, tmp_path: Path
) -> None:
    event = {"created": 1760000000, "type": "new", "data": {"x": [1]}, "id": 5}
    taken(lake, "events", write(tmp_path / "a.jsonl", event))
    (row,) = stored(lake, "events")
    assert (row["type"], row["data"], row["amount"]) == ("new", '{"x":[1]}', None)


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        ("[]", "line 2: is not an envelope: "),
        ("{", "line 2: is not an envelope: "),
        ({"type": "x", "data": {}}, "line 2: is not an envelope: .*created"),
        (PAID | {"created": True}, "line 2: is not an envelope: "),
        (PAID | {"created": 1.5}, "line 2: is not an envelope: "),
        (PAID | {"created": "soon"}, "line 2, column created: 'soon' is not a time"),
        (PAID | {"type": 5}, "line 2: is not an envelope: "),
        (PAID | {"type": ""}, "line 2, column type: is empty"),
        (PAID | {"data": "x"}, "line 2: is not an envelope: "),
        (with_data(amount="2.5"), r"line 2, column amount: '2\.5': a fraction"),
        (with_data(amount=2.5), "line 2, column amount: is neither a text nor"),
        (with_data(amount=True), "line 2, column amount: is neither a text nor"),
        (with_data(tracking_code=[]), "line 2, column tracking_code: is neither"),
        ('{"created":1,"type":"\\ud800","data":{}}', "line 2: is not an envelope: "),
        ("[" * 100_000, "line 2: is not an envelope: "),
    ],
)
def test_what_is_no_envelope_is_refused_with_its_line(
    event: Any, reason: str, lake: Lake, tmp_path: Path
) -> None:
    with pytest.raises(RefusedFile, match=rf"^a\.jsonl, {reason}"):
        taken(lake, "events", write(tmp_path / "a.jsonl", PAID, event))


def test_events_come_as_json_lines_only(lake: Lake, tmp_path: Path) -> None:
    path = write_csv(tmp_path / "a.csv", [{"created": "1", "type": "x", "data": "{}"}])
    with pytest.raises(RefusedFile, match=r"^a\.csv: is CSV; events takes JSON lines"):
        taken(lake, "events", path)


json_objects = st.dictionaries(
    st.text(max_size=5),
    st.recursive(
        st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.text(max_size=5),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=3), inner),
        max_leaves=5,
    ),
)


@given(json_objects)
def test_the_canonical_text_means_the_same_and_forgets_the_order(
    data: dict[str, Any],
) -> None:
    assert json.loads(canonical(data)) == data
    assert canonical(dict(reversed(data.items()))) == canonical(data)
