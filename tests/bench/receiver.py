"""Deliveries a second into the receiver, each on disk before its answer.

`measure` runs the receiver as a process of its own and sends it signed events over
some connections; beside it stands how many flushes a second the disk does alone, for
the receiver's figure is worth as much as the disk that it was taken on.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from recon.webhooks.signature import sign

BUSINESS = "tea-house"
COMMAND = ("-m", "recon", "webhooks", "--port", "0")
_STOP_SECONDS = 30


def delivery(number: int) -> bytes:
    """Return the body of a payment event; each number is another event."""
    data = {
        "tracking_code": f"{number:010d}",
        "trace_id": f"trade-{number}",
        "transaction_ref_id": f"{number:012d}",
        "payer_mobile": "09120000001",
        "amount": "7000000",
    }
    event = {"created": 1_790_000_000, "type": "buyer_paid_agreement", "data": data}
    return json.dumps(event).encode()


def request(body: bytes, business: str = BUSINESS) -> bytes:
    """Return a delivery as the bytes of an HTTP request."""
    head = (
        "POST / HTTP/1.1\r\nhost: bench\r\ncontent-type: application/json\r\n"
        f"x-signature: {sign(body, business)}\r\ncontent-length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


@contextmanager
def receiver(folder: Path) -> Iterator[tuple["subprocess.Popen[str]", int]]:
    """Run a receiver in a folder; yields its process and its port."""
    config = folder / "recon.toml"
    if not config.exists():
        config.write_text(f'[business]\nname = "{BUSINESS}"\n', encoding="utf-8")
    arguments = [sys.executable, *COMMAND, "--config", str(config)]
    running = subprocess.Popen(arguments, stderr=subprocess.PIPE, text=True)
    try:
        assert running.stderr is not None
        line = next(line for line in running.stderr if "receiving" in line)
        port = int(line.partition("http://127.0.0.1:")[2].partition("/")[0])
        yield running, port
    finally:
        running.terminate()
        running.communicate(timeout=_STOP_SECONDS)


async def send(port: int, numbers: list[int], connections: int) -> list[int]:
    """Send events over some connections; returns the numbers answered with 200."""
    waiting = iter(numbers)
    taken: list[int] = []

    async def one_connection() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            for number in waiting:
                writer.write(request(delivery(number)))
                head = await reader.readuntil(b"\r\n\r\n")
                length = head.lower().partition(b"content-length: ")[2]
                await reader.readexactly(int(length.partition(b"\r\n")[0]))
                if head.startswith(b"HTTP/1.1 200"):
                    taken.append(number)
        except (OSError, asyncio.IncompleteReadError):
            return  # the receiver is gone
        finally:
            writer.close()

    await asyncio.gather(*(one_connection() for _ in range(connections)))
    return taken


def flushes_per_second(folder: Path, seconds: float = 0.5) -> float:
    """Return how often a second this disk takes 400 bytes and a flush."""
    count, started = 0, time.perf_counter()
    with (folder / "flushed").open("wb") as file:
        while time.perf_counter() - started < seconds:
            file.write(b"x" * 400)
            file.flush()
            os.fsync(file.fileno())
            count += 1
    return count / (time.perf_counter() - started)


def measure(count: int = 3_000, connections: int = 32) -> dict[str, float]:
    """Return deliveries a second over one connection and over some, and flushes."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        with receiver(folder) as (_, port):
            asyncio.run(send(port, list(range(200)), connections))
            figures = {"flushes a second": flushes_per_second(folder)}
            first = 1_000
            for at_once, share in ((1, count // 6), (connections, count)):
                numbers = list(range(first, first + share))
                started = time.perf_counter()
                taken = asyncio.run(send(port, numbers, at_once))
                if len(taken) != share:
                    raise RuntimeError(f"{share - len(taken)} deliveries were lost")
                rate = share / (time.perf_counter() - started)
                figures[f"deliveries a second, {at_once} at once"] = rate
                first += share
        return figures


def main() -> None:
    """Print the figures."""
    print("\nthe receiver, each delivery flushed to the disk")
    for name, figure in measure().items():
        print(f"  {name:36} {figure:10,.0f}")


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    main()
