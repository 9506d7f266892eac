"""Values as commands print them: in JSON, or as the text of a cell."""

import json
import math
from datetime import date, datetime
from typing import Any

from recon import times


def plain(value: Any) -> Any:
    """Return one value as it is printed: instants and dates as in reports.

    What has no zone, such as `created_at at time zone 'Asia/Tehran'`, is a wall-clock
    time and has no `Z`.
    """
    if isinstance(value, datetime):
        if value.tzinfo is None:
            return value.isoformat(timespec="seconds")
        return times.format_instant(value)
    if isinstance(value, date):
        return value.isoformat()
    if _is_span(value):
        return _span(value)
    if isinstance(value, bytes):
        return value.hex()
    return value if isinstance(value, (str, bool)) else str(value)


def of_json(value: Any) -> Any:
    """Return a value, nested ones too, in what JSON has.

    JSON has no infinity and no NaN: those of a query are texts, as its CSV has them.
    """
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, dict):
        return {str(plain(name)): of_json(each) for name, each in value.items()}
    if _is_list(value):
        return [of_json(each) for each in value]
    return value if value is None or isinstance(value, int) else plain(value)


def as_text(value: Any) -> str:
    """Return a value as one text: what is nested, as JSON."""
    if isinstance(value, dict) or _is_list(value):
        return json.dumps(of_json(value), ensure_ascii=False)
    return str(plain(value))


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and not _is_span(value)


def _is_span(value: Any) -> bool:
    """Tell an interval of Arrow's, without Arrow: most commands begin without it."""
    return isinstance(value, tuple) and hasattr(value, "nanoseconds")


def _span(value: Any) -> str:
    """Return a length of time as the engine writes it: `1 month 2 days 00:02:19.5`."""
    months = int(math.copysign(1, value.months)) * (abs(value.months) % 12)
    years = (value.months - months) // 12
    named = {"year": years, "month": months, "day": value.days}
    parts = [
        f"{count} {name}{'s' * (abs(count) != 1)}"
        for name, count in named.items()
        if count
    ]
    if value.nanoseconds or not parts:
        parts.append(_clock(value.nanoseconds // 1000))
    return " ".join(parts)


def _clock(microseconds: int) -> str:
    seconds, rest = divmod(abs(microseconds), 1_000_000)
    sign = "-" * (microseconds < 0)
    whole = f"{sign}{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return f"{whole}.{rest:06}".rstrip("0") if rest else whole
