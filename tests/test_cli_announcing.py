"""How a command ends whose announcement hangs."""

import contextlib
import signal
import subprocess
import sys
from collections.abc import Iterator

from recon import notify
from recon.cli import process

HANGING = """
import atexit, concurrent.futures, signal, sys, threading, time, types
from pathlib import Path
from recon import notify
from recon.cli import group
from recon.settings import Business, Notify, Secret, Settings

signal.signal(signal.SIGINT, signal.default_int_handler)  # a job ignores it

class Library:
    NotifyType = types.SimpleNamespace(FAILURE="failure")
    asset = types.SimpleNamespace(http_redirects=True)
    pool = concurrent.futures.ThreadPoolExecutor()
    def Apprise(self): return self
    def add(self, url): return True
    def notify(self, **said):
        print("sends", flush=True)
        return self.pool.submit(time.sleep, {seconds}).result()

notify._apprise = Library
notify.LONGEST_SECONDS = {longest}
shop = Settings(business=Business(name="acme"), notify=Notify(urls=(Secret("a"),)))

def command(*_, **__):
    for told in notify.notify_failure(shop, ValueError(), None):
        print(told)
    return 3

atexit.register(print, "tidied up", flush=True)
group.recon.main = command
group.main([])
"""


@contextlib.contextmanager
def hanging(seconds: float, longest: float) -> Iterator[subprocess.Popen[str]]:
    program = HANGING.format(seconds=seconds, longest=longest)
    running = subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with running:
        try:
            yield running
        finally:
            running.kill()


def test_ctrl_c_ends_a_command_whose_announcement_hangs_at_once() -> None:
    with hanging(seconds=3600, longest=3600) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "sends\n"
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=120)
    assert (running.returncode, err) == (130, "recon: interrupted\n")
    assert out == "tidied up\n"


def test_a_command_does_not_outlive_the_wait_for_its_announcement() -> None:
    with hanging(seconds=3600, longest=0.1) as running:
        out, err = running.communicate(timeout=120)
    assert (running.returncode, err) == (3, "")
    told = "notify.urls: address 1 did not answer"
    assert out.splitlines() == ["sends", told, "tidied up"]


def test_a_command_whose_announcement_came_ends_as_ever() -> None:
    with hanging(seconds=0, longest=30) as running:
        out, err = running.communicate(timeout=120)
    assert (running.returncode, err) == (3, "")
    assert out.splitlines()[-1] == "tidied up"


def test_the_thread_of_an_announcement_is_known_by_its_name() -> None:
    assert process._GIVEN_UP == notify.SENDING
