"""What a business agreed with the invented provider: its keys and its conditions."""

from collections.abc import Callable
from dataclasses import dataclass

_BASIS_POINTS = 10_000
_WAGE_BPS = 100

# product, payment method (empty for products without), amount in rials, Unix time
WageRule = Callable[[str, str, int, int], int]


@dataclass(frozen=True)
class Credentials:
    """The keys that the sandbox takes, one product each.

    They open nothing but a sandbox on loopback, so they may stand here in the open.
    """

    unified_key: str = "sandbox-unified-key"
    cash_in_key: str = "sandbox-cash-in-key"
    gateway_key: str = "sandbox-gateway-key"
    hosted_key: str = "sandbox-hosted-key"
    escrow_client_id: int = 1001
    escrow_client_secret: str = "sandbox-escrow-secret"  # noqa: S105 - invented


def one_percent(product: str, method: str, amount: int, at: int) -> int:
    """Return the wage in rials where nobody names a tariff: 1%, deposits free."""
    del method, at
    return 0 if product == "cash_in" else amount * _WAGE_BPS // _BASIS_POINTS


@dataclass(frozen=True)
class Terms:
    """Conditions the contract leaves to the business, and figures it does not give.

    Unknown: real fees, the window of hosted verification, how long a deposit stays
    queued, the calendar of a mandate's month (Gregorian here, in `timezone`).
    """

    unified_fee_bearer: str = "business"  # or "customer"
    gateway_fee_bearer: str = "business"
    hosted_fee_bearer: str = "business"
    wage: WageRule = one_percent
    deposit_seconds: int = 1800  # an entry made here stays queued that long
    token_seconds: int = 3600  # life of an escrow access token
    verify_seconds: int = 1200  # gateway (documented) and hosted (assumed)
    timezone: str = "Asia/Tehran"  # of the gateway's times and of months
    approved_domain: str = ""  # of callback addresses; empty: any
    merchant_ips: tuple[str, ...] = ()  # callers of the gateway; empty: any
    cash_in_active: bool = True
    hosted_active: bool = True
    delivery_retry_seconds: tuple[float, ...] = (0.2, 1.0, 5.0)


SANDBOX_KEYS = Credentials()
USUAL_TERMS = Terms()
