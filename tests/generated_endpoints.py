"""The table of the contract's endpoints; `python -m tests.generated_endpoints`.

It is made from the code: which client method reaches which route was written down by
the tests that it names. tests/endpoints/test_endpoint_table.py holds it against them.
"""

import importlib
import inspect
import pkgutil
from itertools import groupby
from pathlib import Path
from types import ModuleType

from starlette.routing import Route

from recon.api.provider import Provider
from recon.sandbox import routes
from recon.sandbox.app import ROUTES
from tests.endpoints.contract_endpoints import (
    ASKING,
    ENDPOINTS,
    TOKEN_CLIENT,
    UNDOCUMENTED_CLIENTS,
    UNDOCUMENTED_ROUTES,
    Endpoint,
)
from tests.endpoints.page_flows import FLOWS
from tests.endpoints.refusal_cases import CASES

PATH = Path(__file__).parents[1] / "recon/api/README.md"

_HEAD = """\
# The client

Your own programs reach the provider through the same client as `recon`. What it sends
that moves money is in the journal before it leaves, and a night takes deposits, tokens
and hosted ids from there: they need no import.

```python
from recon import setting_files
from recon.api.blocking import blocking
from recon.errors import OutcomeUnknown
from recon.journal import Journal, journal_path

settings = setting_files.load()  # recon.toml and the environment
with (
    Journal(journal_path(settings)) as journal,
    blocking(settings, journal) as provider,
):
    iban = provider.cash_in.accounts().value.value.data[0].iban
    print(provider.cash_in.balance(iban).value.balance)  # rials
    try:
        print(provider.deposits.deposit(iban, 5_000_000, track_id="D-1001"))
    except OutcomeUnknown as error:  # it may have moved money: do not send it anew
        print(error)
    token = provider.gateway.send(150_000, "https://shop.example/back")
    print(provider.gateway.page_address(token))
```

What asks returns an `Answer`: `value` is what was understood, `body` the bytes. What
sends returns its record, token or id. `async with Provider(settings, journal) as
provider` (`recon.api.provider`) is the same with `await`. Errors are those of
`recon.errors`.

## The contract, from both ends

Every endpoint of the contract's three documents, the client method that reaches it,
the sandbox's route that answers it, and the tests that saw the one hit the other.
Made by `python -m tests.generated_endpoints`; a test fails when it is stale.

A client is written as its caller writes it: `gateway.send` is `provider.gateway.send`.
Routes are in `recon/sandbox/routes/`. Tests are in `tests/endpoints/`:

{tests}
"""
_FOOT = """\
### Beside the contract

Clients of what the documents do not show:

{clients}

Routes of the sandbox that are no endpoint of the contract, besides those under
`/sandbox`:

{routes}
"""
_TESTS = {
    "call": (
        "test_endpoint_calls",
        "test_a_client_method_hits_its_endpoint_and_no_other",
    ),
    "refusal": ("test_endpoint_refusals", "test_a_documented_refusal_is_understood"),
    "key": (
        "test_endpoint_refusals",
        "test_a_credential_that_is_not_valid_is_refused",
    ),
    "click": ("test_chromium_pages", "test_a_customer_clicks_through_a_page"),
}
_MEANS = {
    "call": "the method is called, hits that route and no other, and reads its answer",
    "refusal": "a refusal that the documents show arrives as its exception",
    "key": "a credential that is not valid is refused as the documents say",
    "click": "a customer presses the page's buttons in a real browser",
}


def route_lines() -> dict[str, str]:
    """Return each route of the sandbox with the module that holds it."""
    return {
        f"{method} {route.path}": module.__name__.rpartition(".")[2]
        for module in _route_modules()
        for route in module.ROUTES
        for method in route.methods or ()
        if method != "HEAD" and isinstance(route, Route)
    }


def _route_modules() -> list[ModuleType]:
    names = [each.name for each in pkgutil.iter_modules(routes.__path__)]
    modules = [importlib.import_module(f"{routes.__name__}.{name}") for name in names]
    served = {id(route) for route in ROUTES}
    holding = [each for each in modules if hasattr(each, "ROUTES")]
    assert served == {id(route) for module in holding for route in module.ROUTES}
    return holding


def cases_of(endpoint: Endpoint) -> list[str]:
    """Return the tests of an endpoint as their word and case: `call[gateway.send]`."""
    tests = [f"call[{name}]" for name in endpoint.clients]
    tests += [f"refusal[{case}]" for case in CASES if case.client in endpoint.clients]
    tests += [f"key[{name}]" for name in endpoint.clients if name in ASKING]
    return tests + [f"click[{flow}]" for flow in FLOWS if flow.page == endpoint.line]


def table() -> str:
    """Return the whole document. An endpoint without a part of it is a ValueError."""
    told = "\n".join(
        f"- `{word}[…]`: {_MEANS[word]} (`{module}.py::{test}`)"
        for word, (module, test) in _TESTS.items()
    )
    parts = [_HEAD.format(tests=told)]
    for part, rows in groupby(ENDPOINTS, key=lambda each: each.part):
        head = "| endpoint | client | route | tests |\n|---|---|---|---|"
        lines = [_row(endpoint) for endpoint in rows]
        parts.append("\n".join([f"### {part}", "", head, *lines, ""]))
    parts.append(
        _FOOT.format(
            clients=_listed(UNDOCUMENTED_CLIENTS), routes=_listed(UNDOCUMENTED_ROUTES)
        )
    )
    return "\n".join(parts)


def _row(endpoint: Endpoint) -> str:
    module = route_lines().get(endpoint.line)
    tests = cases_of(endpoint)
    if not (module and tests and endpoint.clients):
        raise ValueError(f"{endpoint.line}: no client, no route or no test")
    clients = "<br>".join(_client(name) for name in endpoint.clients)
    shown = "<br>".join(f"`{each}`" for each in tests)
    return f"| `{endpoint.line}` | {clients} | `{module}` | {shown} |"


def _client(name: str) -> str:
    if name == TOKEN_CLIENT:
        return f"`{name}`, by itself"
    part, _, method = name.partition(".")
    kind = inspect.signature(vars(Provider)[part].func).return_annotation
    if not hasattr(kind, method):
        raise ValueError(f"there is no client {name}")
    return f"`{name}`"


def _listed(told: dict[str, str]) -> str:
    return "\n".join(f"- `{name}`: {what}" for name, what in told.items())


if __name__ == "__main__":
    PATH.write_text(table(), "utf-8")
