"""No key of a product in what answers of another product left behind."""

import base64
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

from recon.lake import Lake
from recon.pull import runner
from recon.settings import Secret
from tests.endpoints.stored_text import leaks, texts
from tests.pull.provider_stub import Stub, all_products, checkout

KEYS = {
    "unified": "canary-of-unified-Qw11",
    "cash_in": "canary-of-cash+in/Qw22",
    "gateway": "canary-of-gateway-Qw33",
    "hosted": "canary-of-hosted-Qw44",
    "escrow": "canary-of-escrow-Qw55",
}
ALL = [*KEYS.values()]
TOLD = " ".join(
    [
        *ALL,
        *(quote(each, safe="") for each in ALL),
        *(base64.b64encode(f"shop:{each}".encode()).decode() for each in ALL),
    ]
)


def pulled(folder: Path, stub: Stub) -> runner.PullReport:
    settings = all_products(folder)
    own = {
        name: replace(
            getattr(settings, name),
            **{"client_secret" if name == "escrow" else "api_key": Secret(key)},
        )
        for name, key in KEYS.items()
    }
    settings = replace(settings, **own)
    lake = Lake(settings.lake_path)
    return runner.pull(settings, lake, transport=stub.transport)


def test_a_refusal_that_tells_the_keys_of_others_is_stored_without_them(
    tmp_path: Path,
) -> None:
    stub = Stub()
    token = "POST /sso/oauth/token"
    said = {"message": f"none of {TOLD}", "code": "forbidden_error"}
    for endpoint in [*stub.endpoints]:
        if endpoint != token:
            stub.answers(endpoint, said, 403)
    report = pulled(tmp_path, stub)
    errors = [each.error or "" for each in report.sources if each.error]
    assert sum("none of ***" in each for each in errors) >= 6
    told = repr(report) + " ".join(errors)
    assert not [each for each in ALL if each in told]
    assert not leaks(ALL, texts(tmp_path))


def test_a_list_that_tells_the_keys_of_others_is_stored_without_them(
    tmp_path: Path,
) -> None:
    stub = Stub()
    stub.headers = [(b"x-request-id", KEYS["hosted"].encode())]
    rows: list[dict[str, Any]] = [checkout(n, description=TOLD) for n in range(60)]
    stub.checkouts = rows
    report = pulled(tmp_path, stub)
    found = {each.source: each for each in report.sources}
    assert (found["checkouts"].status, found["checkouts"].counts.records) == (
        "complete",
        60,
    )
    (kept,) = {
        row["description"]
        for row in Lake(tmp_path / "lake").current("checkouts").to_pylist()
    }
    assert kept.startswith("*** *** *** *** *** ")
    assert not leaks(ALL, texts(tmp_path))
