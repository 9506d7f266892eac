"""A history as the files a business would import, and what was planted in it."""

import csv
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from recon.errors import UsageError
from recon.sandbox.funding import PROVIDER_NAME
from recon.sandbox.history import History
from recon.sandbox.world import Record
from recon.times import format_instant
from recon.wording import reason_of

__all__ = ["COLUMNS", "PROVIDER_NAME", "write"]

COLUMNS: dict[str, tuple[str, ...]] = {
    "books": (
        "reference", "amount", "status", "occurred_at", "product", "description",
    ),
    "balances": ("at", "balance", "available_balance", "iban"),
    "adjustments": ("at", "amount", "kind", "description"),
    "tariff": (
        "product", "payment_method", "rate_bps", "fixed", "minimum", "maximum",
        "valid_from",
    ),
    "deposits": (
        "track_id", "gateway_transaction_id", "amount", "amount_toman", "wage",
        "wage_toman", "status", "iban", "receipt_url", "requested_at", "settled_at",
        "requested_amount", "outcome",
    ),
    "gateway_tokens": (
        "token", "amount", "factor_number", "sent_at", "real_amount", "wage",
        "verified_at",
    ),
    "hosted_checkouts": ("checkout_id", "amount", "checkout_number", "sent_at"),
    "bank_statement": ("booked_at", "amount", "description", "iban", "balance"),
}  # fmt: skip
_TIMES = {"at", "valid_from"}


def write(history: History, folder: Path) -> dict[str, Path]:
    """Write the files into `folder`, which is made; returns them by kind.

    Besides the kinds of `recon import` there is `planted`, the answers (JSON). Raises
    UsageError where the folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return _written(history, folder)
    except OSError as error:
        told = f"{folder} cannot be written: {reason_of(error)}"
        raise UsageError(told) from None


def _written(history: History, folder: Path) -> dict[str, Path]:
    rows: dict[str, Iterable[Record]] = {
        "books": history.books,
        "balances": history.balances,
        "adjustments": history.adjustments,
        "tariff": [asdict(fee) for fee in history.tariff.fees],
        "deposits": history.deposits,
        "gateway_tokens": history.gateway_tokens,
        "hosted_checkouts": history.hosted_checkouts,
        "bank_statement": history.bank_statement,
    }
    files = {kind: folder / f"{kind}.csv" for kind in rows}
    for kind, file in files.items():
        _write_csv(file, COLUMNS[kind], rows[kind])
    files["events"] = folder / "events.jsonl"
    _write_text(files["events"], map(_json_line, history.world.events))
    files["planted"] = folder / "planted.json"
    answers = {
        "seed": history.seed,
        "planted": [asdict(each) for each in history.planted],
        "explained": [asdict(each) for each in history.explained],
    }
    _write_text(files["planted"], [json.dumps(answers, ensure_ascii=False, indent=1)])
    return files


def _write_csv(file: Path, columns: Sequence[str], rows: Iterable[Record]) -> None:
    writers: list[tuple[str, Callable[[object], str]]] = [
        (name, _instant if name in _TIMES or name.endswith("_at") else _plain)
        for name in columns
    ]
    with file.open("w", encoding="utf-8", newline="") as stream:
        table = csv.writer(stream, lineterminator="\n")
        table.writerow(columns)
        for row in rows:
            table.writerow([write(row.get(name)) for name, write in writers])


def _plain(value: object) -> str:
    return "" if value is None else str(value)


def _instant(value: object) -> str:
    if not isinstance(value, int):
        return ""
    return format_instant(datetime.fromtimestamp(value, UTC))


def _json_line(record: Record) -> str:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"))


def _write_text(file: Path, lines: Iterable[str]) -> None:
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
