"""`recon.toml` and the environment, read once into one frozen object.

Every section of the interface is a class here; every key is a field whose metadata
says how its text is read. Secrets are `Secret`: they show as `***` everywhere.
"""

import dataclasses
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from recon import setting_values as values
from recon import times
from recon.errors import SettingsError
from recon.setting_values import Secret

__all__ = ["ENVIRONMENT_PREFIX", "SECTIONS", "USUAL_LIMITS", "Secret", "Settings"]

ENVIRONMENT_PREFIX = "RECON_"


def _key(read: values.Reader, default: Any) -> Any:
    if isinstance(default, (list, dict)):
        return field(default_factory=default.copy, metadata={"read": read})
    return field(default=default, metadata={"read": read})


@dataclass(frozen=True, kw_only=True)
class Business:
    """Who the business is; `name` fills `{business}` in the provider's paths."""

    name: str = field(metadata={"read": values.name})
    timezone: ZoneInfo = _key(values.zone, ZoneInfo("Asia/Tehran"))
    calendar: str = _key(values.one_of("gregorian", "jalali"), "gregorian")


@dataclass(frozen=True, kw_only=True)
class LakeSettings:
    """Where the lake is, and how often a list is swept whole again."""

    path: str = _key(values.place, "data/lake")
    full_every: timedelta = _key(values.duration, timedelta(days=7))
    endpoint: str = _key(values.url, "")  # of an S3-compatible store; empty: AWS
    region: str = _key(values.text, "")
    access_key_id: Secret = _key(values.secret, Secret(""))
    secret_access_key: Secret = _key(values.secret, Secret(""))
    cache: str = _key(values.path, "data/lake-cache")  # copies of an s3:// lake's files
    encryption_key: Secret = _key(values.secret, Secret(""))


@dataclass(frozen=True, kw_only=True)
class Unified:
    """The unified payment service (contract, document 3)."""

    base_url: str = _key(values.url, "")
    page_url: str = _key(values.url, "")
    api_key: Secret = _key(values.secret, Secret(""))
    per_page: int = _key(values.whole(1, 10_000), 100)
    list_parameters: str = _key(values.one_of("query", "body"), "query")
    fee_bearer: str = _key(values.one_of(*values.BEARERS), "business")
    fee_bearer_since: dict[str, str] = _key(values.one_of_since(*values.BEARERS), {})


@dataclass(frozen=True, kw_only=True)
class Escrow:
    """The escrow trading service (contract, document 1)."""

    base_url: str = _key(values.url, "")
    client_id: int | None = _key(values.whole(0, 2**63 - 1), None)
    client_secret: Secret = _key(values.secret, Secret(""))


@dataclass(frozen=True, kw_only=True)
class CashIn:
    """Bank deposits into the wallet (contract, document 2 part A)."""

    base_url: str = _key(values.url, "")
    api_key: Secret = _key(values.secret, Secret(""))
    wallet_iban: str = _key(values.iban, "")
    wallet_iban_since: dict[str, str] = _key(values.ibans, {})
    balance_of: str = _key(values.one_of("wallet", "bank_account"), "wallet")
    wage_from: str = _key(values.one_of(*values.WAGE_PAYERS), "wallet")
    wage_from_since: dict[str, str] = _key(values.one_of_since(*values.WAGE_PAYERS), {})
    settled_statuses: tuple[str, ...] = _key(values.texts, ())
    deposit_list_path: str = _key(values.list_path, "")


@dataclass(frozen=True, kw_only=True)
class Gateway:
    """The card payment gateway, version 3 (contract, document 2 part B)."""

    base_url: str = _key(values.url, "")
    api_key: Secret = _key(values.secret, Secret(""))
    fee_bearer: str = _key(values.one_of(*values.BEARERS), "business")
    fee_bearer_since: dict[str, str] = _key(values.one_of_since(*values.BEARERS), {})
    timezone: ZoneInfo | None = _key(values.zone, None)


@dataclass(frozen=True, kw_only=True)
class Hosted:
    """The hosted one-click page (contract, document 2 part C)."""

    base_url: str = _key(values.url, "")
    page_url: str = _key(values.url, "")
    api_key: Secret = _key(values.secret, Secret(""))
    fee_bearer: str = _key(values.one_of(*values.BEARERS), "business")
    fee_bearer_since: dict[str, str] = _key(values.one_of_since(*values.BEARERS), {})


@dataclass(frozen=True, kw_only=True)
class Http:
    """How hard the provider may be asked; `rate_limit` is requests per second."""

    concurrency: int = _key(values.whole(1, 1024), 8)
    timeout: timedelta = _key(values.positive_duration, timedelta(seconds=30))
    retries: int = _key(values.whole(0, 100), 5)
    rate_limit: float | None = _key(values.rate, None)
    transport: str = _key(values.one_of("aiohttp", "httpx"), "aiohttp")


@dataclass(frozen=True, kw_only=True)
class Webhooks:
    """Where the receiver of escrow events listens."""

    host: str = _key(values.text, "127.0.0.1")
    port: int = _key(values.whole(0, 65_535), 8790)


@dataclass(frozen=True, kw_only=True)
class Checks:
    """Tolerance in rials, windows of time, and which checks speak how loudly."""

    tolerance: int = _key(values.whole(0, 10**18), 0)
    clock_skew: timedelta = _key(values.duration, timedelta(minutes=5))
    stale_redirect: timedelta = _key(values.duration, timedelta(minutes=60))
    verify_window: timedelta = _key(values.duration, timedelta(minutes=20))
    deposit_queue: timedelta = _key(values.duration, timedelta(hours=24))
    payout_after: timedelta = _key(values.duration, timedelta(hours=72))
    dispute_open: timedelta = _key(values.duration, timedelta(hours=168))
    provider_names: tuple[str, ...] = _key(values.texts, ())
    disabled: tuple[str, ...] = _key(values.checks, ())
    severity: dict[str, str] = _key(values.severities, {})


@dataclass(frozen=True, kw_only=True)
class Imports:
    """How the columns of imported files are called: kind -> our name -> the file's.

    `values` are those of columns that the files do not have: kind -> our name -> value.
    `words` say what a cell of the file means: kind -> our name -> its word -> ours.
    `skip` says which rows are passed over: kind -> the file's name -> its words.
    `layouts` are such tables for files of another make, each by a name of its own.
    """

    columns: dict[str, dict[str, str]] = _key(values.column_names, {})
    words: dict[str, dict[str, dict[str, str]]] = _key(values.column_words, {})
    skip: dict[str, dict[str, tuple[str, ...]]] = _key(values.skipped_words, {})
    layouts: dict[str, dict[str, Any]] = _key(values.layouts, {})
    values: dict[str, dict[str, str]] = _key(values.column_values, {})

    def of_layout(self, name: str) -> "Imports":
        """Return how files of a layout are read; SettingsError if none has its name."""
        if name not in self.layouts:
            there = ", ".join(self.layouts) or "none"
            raise SettingsError(
                f"imports.layouts: there is no layout {name!r}; there are: {there}"
            )
        return Imports(**self.layouts[name])


@dataclass(frozen=True, kw_only=True)
class Engine:
    """How much memory (bytes) and how many threads a reconciliation may take."""

    memory_limit: int = _key(values.size, 2 * 2**30)
    threads: int = _key(values.whole(0, 1024), 0)  # 0: one a core, of a light lake one


@dataclass(frozen=True, kw_only=True)
class Reports:
    """Where reports go, whether they show personal data, and in what language.

    `journal_days` is of how many business dates, to that of the night, matches.csv and
    the journal of a night have the rows; 0: of all.
    """

    path: str = _key(values.path, "data/reports")
    personal_data: str = _key(values.one_of("mask", "keep"), "mask")
    excel: bool = _key(values.flag, True)
    html: bool = _key(values.flag, True)
    language: str = _key(values.one_of("en", "fa"), "en")
    journal_days: int = _key(values.whole(0, 36_500), 0)


@dataclass(frozen=True, kw_only=True)
class Spark:
    """A Spark Connect address, for data that outgrow one machine."""

    remote: str = _key(values.text, "")


@dataclass(frozen=True, kw_only=True)
class Notify:
    """Where a finished night is announced; addresses may hold secrets."""

    urls: tuple[Secret, ...] = _key(values.secrets, ())


@dataclass(frozen=True, kw_only=True)
class Limits:
    """How much of anything is taken before it ends in a clear word; sizes in bytes.

    `request_time` is all attempts of one request together, `source_time` one source
    of a pull; `retry_wait` the longest `Retry-After` that is waited for. `depth` is
    how deep the JSON of an answer may nest. `webhook_rate` counts deliveries of up to
    4 KiB a second, a longer one as several.
    """

    pages: int = _key(values.whole(1, 10**9), 1_000_000)
    sweeps: int = _key(values.whole(1, 100), 4)
    body: int = _key(values.size, 64 * 2**20)
    depth: int = _key(values.whole(4, 500), 64)
    request_time: timedelta = _key(values.positive_duration, timedelta(minutes=30))
    source_time: timedelta = _key(values.positive_duration, timedelta(hours=12))
    retry_wait: timedelta = _key(values.duration, timedelta(minutes=5))
    import_file: int = _key(values.size, 4 * 2**30)
    import_rows: int = _key(values.whole(1, 10**10), 50_000_000)
    excel_unpacked: int = _key(values.size, 2 * 2**30)
    webhook_body: int = _key(values.size, 2**20)
    webhook_connections: int = _key(values.whole(1, 100_000), 256)
    webhook_rate: int = _key(values.whole(1, 1_000_000), 2_000)


USUAL_LIMITS = Limits()


@dataclass(frozen=True, kw_only=True)
class Settings:
    """All settings. A product whose section is absent is None and is skipped.

    `folder` is the folder of `recon.toml`: relative paths start there. Source: the
    interface's table of settings.
    """

    business: Business
    lake: LakeSettings = field(default_factory=LakeSettings)
    unified: Unified | None = None
    escrow: Escrow | None = None
    cash_in: CashIn | None = None
    gateway: Gateway | None = None
    hosted: Hosted | None = None
    http: Http = field(default_factory=Http)
    webhooks: Webhooks = field(default_factory=Webhooks)
    checks: Checks = field(default_factory=Checks)
    imports: Imports = field(default_factory=Imports)
    engine: Engine = field(default_factory=Engine)
    reports: Reports = field(default_factory=Reports)
    spark: Spark = field(default_factory=Spark)
    notify: Notify = field(default_factory=Notify)
    limits: Limits = field(default_factory=Limits)
    folder: Path = Path()

    @property
    def lake_path(self) -> str:
        """Return the lake's place: an absolute folder or an `s3://` address."""
        return self._place(self.lake.path)

    @property
    def cache_path(self) -> Path:
        """Return the absolute folder of an `s3://` lake's local copies."""
        return Path(self._place(self.lake.cache))

    @property
    def reports_path(self) -> Path:
        """Return the absolute folder of the reports."""
        return Path(self._place(self.reports.path))

    @property
    def gateway_zone(self) -> ZoneInfo:
        """Return the zone of the gateway's times, which carry none."""
        return (self.gateway and self.gateway.timezone) or self.business.timezone

    def fee_bearers(self) -> dict[str, Unified | Gateway | Hosted]:
        """Return the products with a fee that either side may bear; absent: usual."""
        return {
            "unified": self.unified or Unified(),
            "gateway": self.gateway or Gateway(),
            "hosted": self.hosted or Hosted(),
        }

    def wallet_ibans(self) -> dict[datetime, str]:
        """Return the IBANs of the wallet in their order, each by when it became so.

        An empty one is any: none is set.
        """
        cash_in = self.cash_in or CashIn()
        since = self.instants_of(cash_in.wallet_iban_since)
        return {times.EARLIEST: cash_in.wallet_iban, **dict(sorted(since.items()))}

    def wallet_iban_at(self, instant: datetime) -> str:
        """Return the IBAN that is the wallet's at an instant; empty: none is set."""
        return [iban for at, iban in self.wallet_ibans().items() if at <= instant][-1]

    def instants_of(self, since: Mapping[str, str]) -> dict[datetime, str]:
        """Return a table of days, of either calendar, by when each begins here.

        A day may have a time. Raises ValueError where one is none, or stands twice.
        """
        found: dict[datetime, str] = {}
        for day, each in since.items():
            instant = times.typed_instant(day, self.business.timezone)
            if instant in found:
                raise ValueError(f"{day!r} stands in it twice")
            found[instant] = each
        return found

    def _place(self, path: str) -> str:
        return path if "://" in path else os.path.realpath(self.folder / path)


SECTIONS: dict[str, type] = {
    "business": Business,
    "lake": LakeSettings,
    "unified": Unified,
    "escrow": Escrow,
    "cash_in": CashIn,
    "gateway": Gateway,
    "hosted": Hosted,
    "http": Http,
    "webhooks": Webhooks,
    "checks": Checks,
    "imports": Imports,
    "engine": Engine,
    "reports": Reports,
    "spark": Spark,
    "notify": Notify,
    "limits": Limits,
}


def variable_of(section: str, key: str) -> str:
    """Return the environment variable of a setting."""
    return f"{ENVIRONMENT_PREFIX}{section}__{key}".upper()


def keys_of(section: str) -> dict[str, values.Reader]:
    """Return the reader of each key of a section."""
    return {
        item.name: item.metadata["read"]
        for item in dataclasses.fields(SECTIONS[section])
    }
