"""The pages that a customer sees: plain HTML, a question, and buttons to answer it."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from urllib.parse import urlencode

from starlette.responses import HTMLResponse, RedirectResponse

PAY, DECLINE, TROUBLE = "pay", "decline", "trouble"
OUTCOMES = (PAY, DECLINE, TROUBLE)

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark }}
body {{ margin: 0; min-height: 100vh; display: grid; place-items: center;
  font: 16px/1.5 system-ui, sans-serif; background: #eef2f0; color: #1d2b26 }}
main {{ box-sizing: border-box; width: min(30rem, 100% - 2rem); margin: 1rem 0;
  padding: 1.5rem 2rem 2rem;
  background: #fff; border-radius: 1rem; box-shadow: 0 .5rem 2rem #0b3d2e22 }}
h1 {{ font-size: 1.3rem; margin: 0 0 1rem }}
dl {{ display: grid; grid-template-columns: auto 1fr; gap: .3rem 1rem;
  margin: 0 0 1.5rem }}
dt {{ color: #5c6f68 }} dd {{ margin: 0; text-align: right; overflow-wrap: anywhere;
  unicode-bidi: plaintext }}
[role=alert] {{ padding: .6rem .8rem; border-radius: .5rem;
  background: #fbe9e7; color: #8a1f11 }}
label {{ display: block; margin-bottom: 1rem; color: #5c6f68 }}
input {{ box-sizing: border-box; width: 100%; padding: .6rem; font: inherit;
  border: 1px solid #b8c6c0; border-radius: .5rem }}
button {{ width: 100%; padding: .7rem; margin-top: .6rem; font: inherit;
  cursor: pointer; border: 1px solid #0b6b4f; border-radius: .5rem;
  background: #fff; color: #0b6b4f }}
button.pay {{ background: #0b6b4f; color: #fff }}
small {{ display: block; margin-top: 1.2rem; color: #5c6f68; text-align: center }}
@media (prefers-color-scheme: dark) {{
  body {{ background: #14201b; color: #e4ede9 }} main {{ background: #1d2b26 }}
  button {{ background: #1d2b26; color: #8fd6bb; border-color: #8fd6bb }}
  input {{ background: #14201b; color: inherit }}
  dt, label, small {{ color: #9db3aa }}
  button.pay {{ background: #0b6b4f; color: #fff; border-color: #0b6b4f }}
  [role=alert] {{ background: #4a1d17; color: #ffd9d2 }}
}}
</style>
</head>
<body><main>
<h1>{title}</h1>
{body}
<small>Sandbox: no money moves.</small>
</main></body>
</html>
"""
_NAMES = {PAY: "Pay", DECLINE: "Decline", TROUBLE: "Bank trouble"}


def choice(
    title: str,
    facts: Iterable[tuple[str, str]],
    *,
    names: Mapping[str, str] = _NAMES,
    inputs: Sequence[tuple[str, str, str]] = (),
    problem: str = "",
) -> HTMLResponse:
    """Return a page with facts and one button an outcome; empty facts are left out.

    The form is posted to the page's own address with `outcome`, and with each of
    `inputs` (name, label, value) that the customer may change.
    """
    body = [_facts(facts)]
    if problem:
        body.append(f'<p role="alert">{escape(problem)}</p>')
    body.append('<form method="post">')
    body += [
        f"<label>{escape(label)}"
        f'<input name="{escape(name)}" value="{escape(value)}"></label>'
        for name, label, value in inputs
    ]
    body += [
        f'<button class="{outcome}" name="outcome" value="{outcome}">'
        f"{escape(name)}</button>"
        for outcome, name in names.items()
    ]
    body.append("</form>")
    return _page(title, "\n".join(body), 422 if problem else 200)


def notice(title: str, text: str, status: int = 200) -> HTMLResponse:
    """Return a page that only says something."""
    return _page(title, f"<p>{escape(text)}</p>", status)


def nothing_to_pay(
    why: str = "This payment was answered before, or never made.",
) -> HTMLResponse:
    """Return the page of a payment that nobody waits for (404)."""
    return notice("Nothing to pay", why, 404)


def send_back(callback_url: str, **parameters: str) -> RedirectResponse:
    """Send the customer back to the business with these query parameters."""
    joint = "&" if "?" in callback_url else "?"
    address, mark, fragment = callback_url.partition("#")
    return RedirectResponse(
        f"{address}{joint}{urlencode(parameters)}{mark}{fragment}", status_code=303
    )


def rials(amount: int) -> str:
    """Return an amount as people read it."""
    return f"{amount:,} rials"


def _facts(facts: Iterable[tuple[str, str]]) -> str:
    rows = (
        f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>"
        for name, value in facts
        if value
    )
    return f"<dl>{''.join(rows)}</dl>"


def _page(title: str, body: str, status: int) -> HTMLResponse:
    return HTMLResponse(_PAGE.format(title=escape(title), body=body), status)
