"""The keys of `summary.json` and their types, as recon/reports/README.md lists them."""

import msgspec


class Source(msgspec.Struct, forbid_unknown_fields=True):
    """How a source was last pulled."""

    records: int
    pages: int
    new: int
    changed: int
    vanished: int
    complete: bool
    partial: bool
    last_whole_sweep: str | None
    error: str | None
    certificate: dict[str, bool | int | str | list[str] | dict[str, int]]


class Severities(msgspec.Struct, forbid_unknown_fields=True):
    critical: int
    error: int
    warning: int
    info: int


class Open(msgspec.Struct, forbid_unknown_fields=True):
    by_severity: Severities
    by_check: dict[str, int]
    rials_by_check: dict[str, int]


class Decided(msgspec.Struct, forbid_unknown_fields=True):
    acknowledged: int = 0
    resolved: int = 0
    rials: int | None = None


class Breaks(msgspec.Struct, forbid_unknown_fields=True):
    open: Open
    decided: Decided | None = None


class Wallet(msgspec.Struct, forbid_unknown_fields=True):
    """Rials; None where no two balances are known."""

    closing: int | None
    unexplained: int | None
    unexplained_intervals: int
    unexplained_gross: int | None = None
    closing_at: str | None = None
    late: bool = False


class Days(msgspec.Struct, forbid_unknown_fields=True, rename={"first": "from"}):
    first: str | None
    to: str | None


class Uncovered(msgspec.Struct, forbid_unknown_fields=True):
    """What no file of a kind covers, in rials, and the dates of what there is."""

    kind: str
    subject: str
    count: int
    amount: int
    first: str
    last: str
    covered_from: str | None
    covered_to: str | None
    late: bool


class Unjudged(msgspec.Struct, forbid_unknown_fields=True):
    why: str
    subject: str
    name: str
    count: int
    amount: int
    first: str | None


class PaidAgain(msgspec.Struct, forbid_unknown_fields=True):
    orders: int
    excess: int


class MissingSettlements(msgspec.Struct, forbid_unknown_fields=True):
    settlements: int
    amount: int


class Unlisted(msgspec.Struct, forbid_unknown_fields=True):
    deposits: int
    amount: int | None


class WalletChange(
    msgspec.Struct, forbid_unknown_fields=True, rename={"old": "from", "new": "to"}
):
    old: str
    new: str
    from_at: str
    to_at: str
    movements: int
    amount: int


class BankGap(msgspec.Struct, forbid_unknown_fields=True, rename={"first": "from"}):
    iban: str
    first: str
    to: str
    deposits: int
    amount: int
    settlements: int
    settled: int
    missing: int | None = None
    unsound: bool = False
    contradicted: bool = False


class Summary(msgspec.Struct, forbid_unknown_fields=True):
    """`summary.json`, as programs may read it. A key that goes breaks them."""

    run_id: str
    as_of: str
    complete: bool
    period: Days
    sources: dict[str, Source]
    breaks: Breaks
    wallet: Wallet
    exit_code: int
    stale: dict[str, str] = {}
    never_read: list[str] = []
    not_run: list[str] = []
    uncovered: list[Uncovered] = []
    never_imported: list[str] = []
    unjudged: list[Unjudged] = []
    restated: dict[str, int] = {}
    duplicate_payments: PaidAgain | None = None
    missing_settlements: MissingSettlements | None = None
    unlisted_deposits: dict[str, Unlisted] = {}
    wallet_changes: list[WalletChange] = []
    other_balances: dict[str, int] = {}
    bank_gaps: list[BankGap] = []
    journal_from: str | None = None
    newest_commit: str = ""
    run_kept: bool = False
