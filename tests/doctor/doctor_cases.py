"""Settings of a small business, and a provider that answers as a test wishes."""

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import httpx

from recon.doctor import Diagnosis, Finding, Level, Wishes, examine

CANARY = "canary-secret-0123456789"
HOST = "https://provider.invalid"
KEYS = {
    "RECON_UNIFIED__API_KEY": f"{CANARY}-unified",
    "RECON_ESCROW__CLIENT_SECRET": f"{CANARY}-escrow",
    "RECON_CASH_IN__API_KEY": f"{CANARY}-cash",
    "RECON_GATEWAY__API_KEY": f"{CANARY}-gateway",
    "RECON_HOSTED__API_KEY": f"{CANARY}-hosted",
}
UNIFIED = f'[unified]\nbase_url = "{HOST}"\n'
ESCROW = f'[escrow]\nbase_url = "{HOST}"\nclient_id = 7\n'
CASH_IN = (
    f'[cash_in]\nbase_url = "{HOST}"\nwallet_iban = "IR84"\nsettled_statuses = ["S"]\n'
)
GATEWAY = f'[gateway]\nbase_url = "{HOST}"\n'


def config(folder: Path, *sections: str, business: str = 'name = "tea-house"') -> Path:
    """Write a recon.toml and the folders that a healthy workspace has."""
    path = folder / "recon.toml"
    path.write_text(f"[business]\n{business}\n" + "\n".join(sections), "utf-8")
    path.chmod(0o600)
    return path


def provider(
    *,
    status: int = 200,
    body: object = None,
    skew: timedelta | None = timedelta(),
    seen: list[httpx.Request] | None = None,
) -> httpx.MockTransport:
    """Answer every question alike: with a list, a token, or what is given."""

    def answer(request: httpx.Request) -> httpx.Response:
        if seen is not None:
            seen.append(request)
        headers = {}
        if skew is not None:
            headers["date"] = format_datetime(datetime.now(UTC) + skew, usegmt=True)
        if request.url.path.endswith("/token"):
            token = {"access_token": f"{CANARY}-token", "expires_in": 3600}
            return httpx.Response(200, json=token, headers=headers)
        meta = {"current_page": 1, "last_page": 1, "per_page": 15, "total": 0}
        whole = {"data": [], "meta": meta, "success": True, "message": ""}
        content = json.dumps(whole if body is None else body)
        return httpx.Response(status, text=content, headers=headers)

    return httpx.MockTransport(answer)


def failing(error: Callable[[], Exception]) -> httpx.MockTransport:
    """Fail to answer anything."""

    def fail(_: httpx.Request) -> httpx.Response:
        raise error()

    return httpx.MockTransport(fail)


def examined(
    path: Path | None,
    transport: httpx.AsyncBaseTransport | None = None,
    environment: Mapping[str, str] | None = None,
    **wishes: Any,
) -> Diagnosis:
    """Examine; without an environment, with the keys of the file's sections."""
    return examine(
        path,
        wishes=Wishes(**wishes),
        environment=keys(path) if environment is None else environment,
        transport=transport or provider(),
    )


def keys(path: Path | None) -> dict[str, str]:
    text = path.read_text("utf-8") if path and path.exists() else ""
    return {
        name: key
        for name, key in KEYS.items()
        if f"[{name.removeprefix('RECON_').partition('__')[0].lower()}]" in text
    }


def told(diagnosis: Diagnosis, area: str, level: Level | None = None) -> list[str]:
    return [each.told for each in of(diagnosis, area, level)]


def of(diagnosis: Diagnosis, area: str, level: Level | None = None) -> list[Finding]:
    return [
        each
        for each in diagnosis.findings
        if each.area == area and level in (None, each.level)
    ]
