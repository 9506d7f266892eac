"""Identifiers as they stand in an address: one segment of its path each."""

from urllib.parse import quote

from recon.errors import Refused, UsageError


def segment(name: str) -> str:
    """Return an identifier as one segment of a path; UsageError where it can be none.

    A path with an empty segment, or one of dots alone, is the path of something else.
    """
    if name in {"", ".", ".."}:
        raise UsageError(f"{name!r} is not an identifier")
    return quote(name, safe="")


def record_segment(record_id: str) -> str:
    """Return a record's id as one segment of a path; Refused where it can be none.

    Nobody can ask for such an id, so the provider knows no record by it.
    """
    try:
        return segment(record_id)
    except UsageError as error:
        raise Refused(str(error)) from None
