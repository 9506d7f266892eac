"""A report as a DataFrame, for notebooks and charts: no rial is lost on the way."""

from datetime import date, timedelta, tzinfo

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from recon.times import parts_of

_WHOLE = {
    pa.int64(): pd.Int64Dtype(),
    pa.int32(): pd.Int64Dtype(),
    pa.bool_(): pd.BooleanDtype(),
}
_JALALI = "_jalali"


def frame(table: pa.Table) -> pd.DataFrame:
    """Turn a table into a frame without losing a rial: integers never become floats.

    Lengths of time (`paid_at - created_at`) are timedeltas where none counts months.
    """
    columns = [_timed(column) for column in table.columns]
    timed = pa.table(columns, names=table.column_names)
    converted: pd.DataFrame = timed.to_pandas(
        types_mapper=_WHOLE.get, date_as_object=False, integer_object_nulls=True
    )
    return converted


def _timed(column: pa.ChunkedArray) -> pa.ChunkedArray | pa.Array:
    if not pa.types.is_interval(column.type):
        return column
    spans = column.to_pylist()
    if any(each is not None and each.months for each in spans):
        return column
    lengths = [
        None
        if each is None
        else timedelta(days=each.days, microseconds=each.nanoseconds // 1000)
        for each in spans
    ]
    return pa.array(lengths, pa.duration("us"))


def jalali(day: date) -> str:
    """Write a date in the Jalali calendar, in ASCII digits: `1405-01-01`.

    One that the calendar does not reach stays ISO.
    """
    year, month, number = parts_of(day, "jalali")
    return f"{year:04d}-{month:02d}-{number:02d}"


def with_jalali(table: pa.Table, zone: tzinfo) -> pa.Table:
    """Put a Jalali twin, as text, after each date and instant of a table.

    The twin of `paid_at` is `paid_at_jalali`: the local date and time in `zone`.
    """
    columns: dict[str, pa.ChunkedArray] = {}
    for field in table.schema:
        columns[field.name] = table[field.name]
        if pa.types.is_timestamp(field.type) and field.type.tz:
            columns[field.name + _JALALI] = _instants(table[field.name], zone)
        elif pa.types.is_date(field.type):
            columns[field.name + _JALALI] = _days(table[field.name])
    return pa.table(columns)


def _instants(column: pa.ChunkedArray, zone: tzinfo) -> pa.ChunkedArray:
    local = pc.local_timestamp(column.cast(pa.timestamp("us", str(zone))))
    days = _days(local.cast(pa.date32(), safe=False))
    clock = pc.strftime(pc.floor_temporal(local, unit="second"), "%H:%M")
    return pc.binary_join_element_wise(days, clock, " ")


def _days(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Write dates; each of the few different ones is converted once."""
    days = column.unique()
    written = [day and jalali(day) for day in days.to_pylist()]
    places = pc.index_in(column, value_set=days)
    return pa.chunked_array([pa.array(written, pa.string())]).take(places)
