"""No secret of the settings is shown or packed, whoever wrote it down."""

import json
from pathlib import Path

import pytest

from recon.cli.group import run
from recon.reconcile.breaks import break_id

KEY = 'K3y/of "the" gateway'
BREAK = break_id("book_duplicate", "books", "o-1")


def _take(config: Path, tmp_path: Path) -> None:
    """A shop's own log of its requests has the key that it sent, a key of later."""
    file = tmp_path / "orders.jsonl"
    row = {
        "reference": "o-1",
        "amount": 5,
        "status": "paid",
        "occurred_at": "2026-10-01",
        "description": f"sent with {KEY}",
        "api_key": KEY,
        "payer_mobile": KEY,
    }
    file.write_text(f"{json.dumps(row)}\n{json.dumps(row)}\n", encoding="utf-8")
    assert run(["import", "books", str(file), "--config", str(config)]) == 0
    assert run(["reconcile", "--config", str(config)]) == 0


@pytest.mark.parametrize("personal_data", ["mask", "keep"])
def test_a_secret_in_an_imported_file_is_neither_shown_nor_packed(
    personal_data: str,
    config: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    _take(config, tmp_path)
    monkeypatch.setenv("RECON_GATEWAY__BASE_URL", "https://ipg.example")
    monkeypatch.setenv("RECON_GATEWAY__API_KEY", KEY)
    monkeypatch.setenv("RECON_REPORTS__PERSONAL_DATA", personal_data)
    folder = tmp_path / "sent"
    for given in (["show", BREAK, "--pack", str(folder)], ["show", BREAK, "--json"]):
        assert run(["breaks", *given, "--config", str(config)]) == 0
    assert run(["breaks", "explain", BREAK, "--config", str(config)]) == 0
    said = capsys.readouterr()
    files = [path.read_text("utf-8") for path in folder.rglob("*") if path.is_file()]
    for text in (said.out, said.err, *files):
        assert "K3y" not in text
    (body,) = (folder / "bodies").iterdir()
    kept = json.loads(body.read_text("utf-8").splitlines()[0])
    assert kept["api_key"] == "***"
    assert kept["description"] == "sent with ***"
    assert kept["amount"] == 5
