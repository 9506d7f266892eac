"""A real browser for tests: headless Chromium, spoken to over the DevTools pipe.

It clicks where a person would: the mouse goes to the middle of an element.
"""

import base64
import json
import os
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PROGRAM = next(filter(None, map(shutil.which, NAMES)), None)
_SECONDS = 30
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--window-size=900,900",
    "--remote-debugging-pipe",
)
_MIDDLE = """selector => {
  const element = document.querySelector(selector);
  element.scrollIntoView();
  const at = element.getBoundingClientRect();
  return [at.x + at.width / 2, at.y + at.height / 2];
}"""


class ScriptError(Exception):
    """The page has no such thing, or the browser refused to do something."""


class Browser:
    """One tab of a Chromium that runs."""

    def __init__(self, asks: int, answers: int) -> None:
        self._asks, self._answers = asks, answers
        self._unread = b""
        self._number = 0
        self._session = ""
        tab = self._do("Target.createTarget", url="about:blank")["targetId"]
        opened = self._do("Target.attachToTarget", targetId=tab, flatten=True)
        self._session = opened["sessionId"]
        self._do("Page.enable")

    def go(self, address: str) -> None:
        """Open an address and wait until the page is there."""
        went = self._do("Page.navigate", url=address)
        assert "errorText" not in went, f"{address}: {went['errorText']}"
        self.wait_for("document.readyState === 'complete'")

    def click(self, selector: str) -> None:
        """Press the mouse in the middle of an element and let it go."""
        middle = self.value(f"({_MIDDLE})({json.dumps(selector)})")
        place = {"x": middle[0], "y": middle[1], "button": "left", "clickCount": 1}
        for kind in ("mousePressed", "mouseReleased"):
            self._do("Input.dispatchMouseEvent", type=kind, **place)

    def type_over(self, selector: str, text: str) -> None:
        """Click into a field, select what stands there and type."""
        self.click(selector)
        self.value("document.activeElement.select()")
        self._do("Input.insertText", text=text)

    def value(self, expression: str) -> Any:
        """Return the value of an expression in the page."""
        found = self._do("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in found:
            raise ScriptError(f"{expression}: {found['exceptionDetails']}")
        return found["result"].get("value")

    def wait_for(self, expression: str) -> None:
        """Wait until the page is whole and an expression true, over navigations."""
        until = time.monotonic() + _SECONDS
        while not self._holds(f"document.readyState === 'complete' && ({expression})"):
            assert time.monotonic() < until, f"never true: {expression}"
            time.sleep(0.02)

    def _holds(self, expression: str) -> bool:
        try:
            return bool(self.value(expression))
        except ScriptError:  # between two pages there is none to ask
            return False

    def resize(self, width: int, height: int = 900) -> None:
        """Make the window that wide and high, in CSS pixels."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1}
        self._do("Emulation.setDeviceMetricsOverride", mobile=False, **size)

    def picture(self) -> bytes:
        """Return what the tab shows, as PNG."""
        return base64.b64decode(self._do("Page.captureScreenshot")["data"])

    def _do(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._asks, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise ScriptError(f"{method}: {answer['error']}")
                return dict(answer["result"])

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._unread:
            ready, _, _ = select.select([self._answers], [], [], _SECONDS)
            assert ready, "the browser says nothing"
            more = os.read(self._answers, 1 << 16)
            assert more, "the browser ended"
            self._unread += more
        line, _, self._unread = self._unread.partition(b"\0")
        return dict(json.loads(line))


@contextmanager
def chromium(folder: Path) -> Iterator[Browser]:
    """Run Chromium with an empty profile in `folder`; it ends with the context."""
    assert PROGRAM is not None
    asks_there, asks_here = os.pipe()
    answers_here, answers_there = os.pipe()
    # The browser takes what it is asked from number 3 and answers to number 4.
    line = f'exec "$0" "$@" 3<&{asks_there} 4>&{answers_there}'
    arguments = [*_FLAGS, f"--user-data-dir={folder}", "about:blank"]
    process = subprocess.Popen(
        ["/bin/bash", "-c", line, PROGRAM, *arguments],
        pass_fds=(asks_there, answers_there),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    os.close(asks_there)
    os.close(answers_there)
    try:
        yield Browser(asks_here, answers_here)
    finally:
        os.close(asks_here)
        os.close(answers_here)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.wait()
