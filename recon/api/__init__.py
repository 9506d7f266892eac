"""The provider's endpoints, one module a product, over one careful client."""

import sys

if "httpx" not in sys.modules:
    # httpx would bring the command line of its own, and with it rich and pygments: a
    # tenth of what a pull takes to start. Where that module is missing it does without.
    sys.modules["httpx._main"] = None  # type: ignore[assignment]
    try:
        import httpx  # noqa: F401
    finally:
        del sys.modules["httpx._main"]
