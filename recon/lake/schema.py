"""The lake's tables: their columns, their keys, and what every row carries.

Columns have the contract's names and rials; instants are UTC. A table holds versions:
a row is written when a record is new, differs from its last version or is back in the
list that had lost it, and nothing is ever updated in place. `queries/staging` picks the
version that counts.
"""

from dataclasses import dataclass

import pyarrow as pa

TEXT = pa.string()
RIALS = pa.int64()
WHOLE = pa.int64()
FLAG = pa.bool_()
INSTANT = pa.timestamp("us", "UTC")
TEXTS = pa.list_(pa.string())

PROVENANCE = pa.schema(
    [
        pa.field("pull_id", TEXT, nullable=False),  # the commit that brought the row
        pa.field("seen_at", INSTANT, nullable=False),  # when its page was received
        # of the columns before these; an entry of a bank statement has that of what
        # earlier releases read of it before, and a colon between
        pa.field("record_hash", TEXT, nullable=False),
        pa.field("page_no", pa.int32()),  # the page of that pull, or the file of it
        pa.field("position", pa.int32()),  # place on the page, or line of the file
    ]
)


PASSED_OVER = "passed over"
"""The status of an order of the books that its newest file has and passes over."""

_REPLACED_WHOLE = {"books", "deposits", "tariff"}


@dataclass(frozen=True)
class Table:
    """One table: `columns` are its own, `schema` adds where each row came from.

    `key` names the columns that identify a record; it is empty where the n-th
    identical row of a file is the record (the interface's kinds without a key).
    """

    name: str
    columns: pa.Schema
    key: tuple[str, ...]

    @property
    def is_replaced_whole(self) -> bool:
        """Tell whether the newest file that has a key holds all rows of that key."""
        return self.name in _REPLACED_WHOLE

    @property
    def schema(self) -> pa.Schema:
        """Return the columns of a stored row."""
        return pa.schema([*self.columns, *PROVENANCE])


def _table(name: str, key: str, /, **columns: pa.DataType) -> Table:
    return Table(name, pa.schema(list(columns.items())), tuple(key.split()))


_ALL = (
    # contract, document 3: unified
    _table(
        "checkouts",
        "id",
        id=TEXT,
        request_id=TEXT,
        checkout_number=TEXT,
        amount=RIALS,
        status=TEXT,
        description=TEXT,
        created_at=INSTANT,
        updated_at=INSTANT,
        customer_id=TEXT,
        customer_mobile=TEXT,
        customer_first_name=TEXT,
        customer_last_name=TEXT,
        customer_national_code=TEXT,
        customer_email=TEXT,
        payment_ids=TEXTS,
    ),
    _table(
        "payments",
        "id",
        id=TEXT,
        checkout_id=TEXT,
        payment_method=TEXT,
        amount=RIALS,
        wage_amount=RIALS,
        affected_amount=RIALS,
        ref_id=TEXT,
        tracking_code=TEXT,
        status=TEXT,
        error_code=TEXT,
        error_message=TEXT,
        created_at=INSTANT,
        updated_at=INSTANT,
        paid_at=INSTANT,
        type=TEXT,
        mandate_id=TEXT,
        card_number=TEXT,
        card_cid=TEXT,
    ),
    _table(
        "mandates",
        "id",
        id=TEXT,
        payment_method=TEXT,
        count=WHOLE,
        limit=RIALS,
        expires_at=INSTANT,
        customer_id=TEXT,
        status=TEXT,
        created_at=INSTANT,
        updated_at=INSTANT,
        revoked_at=INSTANT,
    ),
    _table(
        "payment_methods",
        "slug",
        slug=TEXT,
        type=TEXT,
        name=TEXT,
        logo=TEXT,
        is_healthy=FLAG,
        limit=RIALS,
        modes=TEXTS,
    ),
    # contract, document 1: escrow; the first party of each role stands in columns
    _table(
        "agreements",
        "tracking_code",
        tracking_code=TEXT,
        trace_id=TEXT,
        description=TEXT,
        amount=RIALS,
        state=TEXT,
        creator=TEXT,
        created_at=INSTANT,
        buyer_state=TEXT,
        buyer_national_code=TEXT,
        buyer_mobile=TEXT,
        seller_state=TEXT,
        seller_national_code=TEXT,
        seller_mobile=TEXT,
        items=TEXT,  # JSON, as received
    ),
    _table(
        "customers",
        "uid",
        uid=TEXT,
        first_name=TEXT,
        last_name=TEXT,
        national_code=TEXT,
        mobile=TEXT,
    ),
    _table("webhooks", "id", id=TEXT, url=TEXT, is_active=FLAG, events=TEXTS),
    _table(
        "events",
        "created type data",
        created=INSTANT,
        type=TEXT,
        data=TEXT,  # JSON with sorted keys: equal events are equal texts
        tracking_code=TEXT,
        trace_id=TEXT,
        amount=RIALS,
        state=TEXT,
        origin=TEXT,  # delivery, import
    ),
    # contract, document 2
    _table(
        "accounts",
        "iban",
        iban=TEXT,
        account_number=TEXT,
        account_description=TEXT,
        bank_name=TEXT,
        account_owner=TEXT,
    ),
    _table(
        "balances",
        "at iban",
        at=INSTANT,
        iban=TEXT,
        balance=RIALS,
        available_balance=RIALS,
        origin=TEXT,  # provider, import
    ),
    _table(
        "deposits",
        "track_id gateway_transaction_id",
        track_id=TEXT,
        gateway_transaction_id=TEXT,
        amount=RIALS,
        amount_toman=WHOLE,
        wage=RIALS,
        wage_toman=WHOLE,
        status=TEXT,
        iban=TEXT,
        receipt_url=TEXT,
        requested_at=INSTANT,
        settled_at=INSTANT,
        requested_amount=RIALS,
        outcome=TEXT,  # empty, or unknown
        origin=TEXT,  # journal, list, import
    ),
    _table(
        "gateway_tokens",  # what was sent (step 1), from the journal or an import
        "token",
        token=TEXT,
        amount=RIALS,
        factor_number=TEXT,
        sent_at=INSTANT,
        real_amount=RIALS,
        wage=RIALS,
        verified_at=INSTANT,
    ),
    _table(
        "gateway_transactions",  # the answer of step 3, or its refusal
        "token",
        token=TEXT,
        amount=RIALS,
        trans_id=TEXT,
        refnumber=TEXT,
        tracking_code=TEXT,
        factor_number=TEXT,
        mobile=TEXT,
        description=TEXT,
        card_number=TEXT,
        card_cid=TEXT,
        created_at=INSTANT,
        payment_date=INSTANT,
        code=WHOLE,
        message=TEXT,
        error=TEXT,  # the documented refusal of this token
    ),
    _table(
        "hosted_requests",  # what was sent, from the journal or an import
        "checkout_id",
        checkout_id=TEXT,
        amount=RIALS,
        checkout_number=TEXT,
        sent_at=INSTANT,
    ),
    _table(
        "hosted_checkouts",  # the answer of the inquiry, or its refusal
        "id",
        id=TEXT,
        amount=RIALS,
        wage=RIALS,
        status=TEXT,
        checkout_number=TEXT,
        description=TEXT,
        created_at=INSTANT,
        error=TEXT,
    ),
    # the business's own
    _table(
        "books",
        "product reference",
        reference=TEXT,
        amount=RIALS,
        status=TEXT,
        occurred_at=INSTANT,
        product=TEXT,
        description=TEXT,
        extra=TEXT,  # further columns of the file, as a JSON object
    ),
    _table(
        "adjustments",
        "",
        at=INSTANT,
        amount=RIALS,  # signed: its effect on the wallet
        kind=TEXT,
        description=TEXT,
        extra=TEXT,
    ),
    _table(
        "bank_statement",
        "",
        booked_at=INSTANT,
        amount=RIALS,  # signed: a debit is negative
        description=TEXT,
        iban=TEXT,
        extra=TEXT,
    ),
    _table(
        "bank_balances",  # of those entries of a statement whose file tells them
        "",
        iban=TEXT,
        statement=WHOLE,  # the n-th statement of its file
        booked_at=INSTANT,
        amount=RIALS,  # of the entry
        # signed: of the account after the entry; a row without says that the entries
        # of its statement do not lead from its opening balance to its closing one
        balance=RIALS,
    ),
    _table(
        "tariff",
        "product payment_method valid_from",
        product=TEXT,
        payment_method=TEXT,
        rate_bps=WHOLE,
        fixed=RIALS,
        minimum=RIALS,
        maximum=RIALS,
        valid_from=INSTANT,
        extra=TEXT,
    ),
    # what runs found and people decided
    _table(
        "run_breaks",
        "run_id break_id",
        run_id=TEXT,
        as_of=INSTANT,
        break_id=TEXT,
        check=TEXT,
        severity=TEXT,
        product=TEXT,
        record_id=TEXT,
        related_id=TEXT,
        occurred_at=INSTANT,
        business_date=pa.date32(),
        expected=RIALS,
        actual=RIALS,
        difference=RIALS,
        detail=TEXT,
    ),
    _table(
        "runs",
        "run_id",
        run_id=TEXT,
        as_of=INSTANT,
        complete=FLAG,
    ),
    _table(
        "decisions",
        "",
        break_id=TEXT,
        decided_at=INSTANT,
        action=TEXT,  # acknowledge, resolve, reopen, assign, note
        by=TEXT,
        reason=TEXT,
        assignee=TEXT,
    ),
)

TABLES: dict[str, Table] = {table.name: table for table in _ALL}

COMPACTED = tuple(
    table.name
    for table in _ALL
    if table.key and table.name not in ("runs", "run_breaks")
)
"""The tables whose versions are put together: those of records, not those of runs."""

CLEARED = {
    "movements": pa.schema({"occurred_at": INSTANT, "amount": RIALS}),
    "uses": pa.schema(
        {
            "mandate_id": TEXT,
            "months": pa.list_(TEXT),
            "use_counts": pa.list_(WHOLE),  # in the order of the months
            "payment_method": TEXT,
            "monthly_count": WHOLE,
            "limit": RIALS,
            "expires_at": INSTANT,
            "revoked_at": INSTANT,
        }
    ),
}
"""What cleared payments come to: how far they moved the wallet, in rials, by interval,
and how often they used a mandate in each month, with its terms."""

SEEN_IDS = pa.schema([pa.field("id", TEXT, nullable=False)])
"""The ids that one whole sweep of a list met: a vanished record is not among them."""

PAGES = pa.schema(
    [
        pa.field("pull_id", TEXT, nullable=False),
        pa.field("page_no", pa.int32(), nullable=False),
        pa.field("method", TEXT),
        pa.field("url", TEXT),  # without credentials
        pa.field("asked", TEXT),  # the request's JSON body, without credentials
        pa.field("status", pa.int32()),
        pa.field("headers", TEXT),  # JSON object of the chosen ones
        pa.field("received_at", INSTANT, nullable=False),
        pa.field("sha256", TEXT, nullable=False),
        pa.field("body", pa.binary(), nullable=False),
    ]
)
"""Every response body, or imported file, as received."""
