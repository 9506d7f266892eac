"""Where each product is at its address, and identifiers as one segment of a path."""

from urllib.parse import quote

from recon.errors import Refused, UsageError

ESCROW = "/escrow/api/v1"


def of_unified(business: str) -> str:
    """Return where the unified service has a business."""
    return f"/mpg/v1/business/{segment(business)}"


def of_cash_in(business: str) -> str:
    """Return where cash-in has the accounts of a business."""
    return f"/v3/business/{segment(business)}/cash-in/account"


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
