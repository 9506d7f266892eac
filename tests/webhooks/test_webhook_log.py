"""What the receiver's log tells: that it began, how it ended, how many; no event."""

import io
import json
from pathlib import Path

from recon import log
from tests.webhooks.receiver_cases import envelope, receiver, shop

INFO = 20


def test_the_log_counts_what_was_stored_repeated_and_refused(tmp_path: Path) -> None:
    stream = io.StringIO()
    body = envelope(tracking_code="T-canary", mobile="09121234567")
    with (
        log.shown(stream, as_json=True, level=INFO),
        receiver(shop(tmp_path)) as sender,
    ):
        sender.post(body)
        sender.post(body)
        sender.post(body, "forged")
    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert [line["event"] for line in lines] == ["webhooks.started", "webhooks"]
    ended = lines[-1]
    assert (ended["stored"], ended["repeated"], ended["refused"]) == (1, 1, 1)
    assert lines[0]["run"] == ended["run"]
    assert "canary" not in stream.getvalue()
    assert "0912" not in stream.getvalue()
