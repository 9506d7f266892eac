"""The customers that the business made known to the escrow service."""

from recon.api.escrow import EscrowReads
from recon.api.paging import ListPage
from recon.pull.listing import Listing
from recon.pull.pulling import Found, Pulling
from recon.pull.reading import read_list
from recon.records.escrow import Customer

NAME = "customers"
SECTION = "escrow"
TABLE = "customers"


async def fetch(pulling: Pulling) -> Found:
    """Walk the list of customers."""
    reads = EscrowReads(pulling.client)

    def take(page: ListPage[Customer]) -> None:
        rows = (
            {
                "uid": customer.uid,
                "first_name": customer.first_name,
                "last_name": customer.last_name,
                "national_code": customer.national_code,
                "mobile": customer.mobile,
            }
            for customer in page.rows
        )
        pulling.keeper.keep(TABLE, rows, page.answer)

    return await read_list(
        pulling, Listing(reads.customers, lambda customer: customer.uid, take, TABLE)
    )
