"""One run at a time on a bucket, between machines; free again after any end."""

import errno
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path

import pytest

from recon.errors import LakeError, LockHeld
from recon.lake import Lake, bucket, leases, objects
from recon.lake.lock import run_lock
from tests.lake.bucket_cases import PREFIX, bucket_lake
from tests.lake.s3_server import Store

LOCK = f"{PREFIX}/run.lock"
PROJECT = Path(__file__).parents[2]


@pytest.fixture
def here(store: Store, tmp_path: Path) -> Lake:
    return bucket_lake(store.url, tmp_path / "here")


@pytest.fixture
def there(store: Store, tmp_path: Path) -> Lake:
    """Open the lake of another machine: its cache is another."""
    return bucket_lake(store.url, tmp_path / "there")


def refused(lake: Lake) -> bool:
    try:
        with run_lock(lake):
            return False
    except LockHeld:
        return True


def test_a_second_machine_is_told_at_once_and_may_run_afterwards(
    here: Lake, there: Lake
) -> None:
    with run_lock(here):
        assert refused(there)
        assert refused(here)
    assert not refused(there)
    assert not refused(here)


def test_of_many_machines_at_once_one_runs(store: Store, tmp_path: Path) -> None:
    inside, most, ran = 0, 0, 0
    guard = threading.Lock()

    def run(number: int) -> None:
        nonlocal inside, most, ran
        lake = bucket_lake(store.url, tmp_path / str(number))
        for _ in range(3):
            try:
                with run_lock(lake):
                    with guard:
                        inside += 1
                        most, ran = max(most, inside), ran + 1
                    time.sleep(0.01)
                    with guard:
                        inside -= 1
            except LockHeld:
                time.sleep(0.005)

    threads = [threading.Thread(target=run, args=(each,)) for each in range(5)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert (most, inside) == (1, 0)
    assert ran


def left_behind(lake: Lake, store: Store) -> None:
    """Leave the lock as a holder does that was killed."""
    with run_lock(lake):
        kept = store.objects[LOCK]
    store.objects[LOCK] = kept


def test_a_holder_that_was_killed_keeps_others_out_for_one_lease(
    here: Lake, there: Lake, store: Store
) -> None:
    left_behind(here, store)
    assert refused(there)
    store.objects[LOCK].at -= timedelta(seconds=leases.LEASE_SECONDS + 2)
    assert not refused(there)


def test_a_dead_holder_of_the_future_keeps_nobody_out(
    here: Lake, there: Lake, store: Store
) -> None:
    """The store's clock was ahead when the holder last renewed, and was set since."""
    left_behind(here, store)
    store.objects[LOCK].at += timedelta(seconds=leases.LEASE_SECONDS - 5)
    assert refused(there)
    store.objects[LOCK].at += timedelta(days=365)
    assert not refused(there)


def test_of_two_that_find_a_dead_holder_one_takes_over(
    here: Lake, there: Lake, store: Store, tmp_path: Path
) -> None:
    """The other one gets in between the first one's look and its put."""
    left_behind(bucket_lake(store.url, tmp_path / "dead"), store)
    store.objects[LOCK].at -= timedelta(seconds=leases.LEASE_SECONDS + 2)
    puts, held = [], ExitStack()

    def fault(method: str, key: str) -> str:
        if (method, key) == ("PUT", LOCK):
            puts.append(key)
            if len(puts) == 2:  # the first asked whether there is none
                held.enter_context(run_lock(there))
        return ""

    store.fault = fault
    assert refused(here)
    assert len(puts) > 2
    store.fault = lambda *_: ""
    assert refused(here)
    held.close()
    assert not refused(here)


def test_the_machine_of_a_killed_holder_goes_on_at_once(
    here: Lake, store: Store
) -> None:
    left_behind(here, store)
    assert not refused(here)


@pytest.mark.parametrize("content", [b"", b"\xff", b"abc"])
def test_a_machine_whose_name_was_cut_is_not_nobody(
    here: Lake, there: Lake, content: bytes
) -> None:
    with run_lock(here):
        pass
    (here.root / "machine").write_bytes(content)
    with run_lock(here):
        assert refused(there)
    name = (here.root / "machine").read_bytes()
    assert len(name) == 32
    assert not refused(here)
    assert (here.root / "machine").read_bytes() == name


def test_a_cache_that_takes_no_name_is_one_clear_error(
    here: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(bucket, "write_private", full)
    with pytest.raises(LakeError, match="/machine cannot be written: No space"):
        refused(here)


def test_a_clock_that_is_wrong_here_takes_no_lock_from_its_holder(
    here: Lake, there: Lake, store: Store
) -> None:
    store.ahead = -timedelta(days=3)
    with run_lock(here):
        assert refused(there)


def test_a_holder_renews_and_is_not_taken_over(
    here: Lake, there: Lake, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leases, "LEASE_SECONDS", 2.0)
    with run_lock(here):
        first = store.objects[LOCK].content
        until = time.monotonic() + 3.5
        while time.monotonic() < until:
            assert refused(there)
            time.sleep(0.2)
        assert store.objects[LOCK].content != first


@pytest.mark.parametrize("method", ["GET", "PUT"])
def test_a_renewal_whose_answer_was_lost_loses_no_lock(
    here: Lake,
    there: Lake,
    store: Store,
    monkeypatch: pytest.MonkeyPatch,
    method: str,
) -> None:
    monkeypatch.setattr(leases, "LEASE_SECONDS", 2.0)
    monkeypatch.setattr(objects, "_TRIES", 1)
    left: list[str] = []
    store.fault = lambda asked, key: (
        left.pop() if left and (asked, key) == (method, LOCK) else ""
    )
    with run_lock(here):
        left.append("lost")
        time.sleep(1.4)
        assert not left
        assert refused(there)
    assert not refused(there)


def test_a_holder_that_stood_still_says_so_at_its_end(
    here: Lake, there: Lake, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leases, "LEASE_SECONDS", 0.8)

    def run_that_stands_still() -> None:
        with run_lock(here):
            store.objects[LOCK].at -= timedelta(hours=1)
            with run_lock(there):
                time.sleep(0.6)  # the holder's next renewal meets another's object

    with pytest.raises(LockHeld, match="another took over"):
        run_that_stands_still()


def test_a_failure_inside_is_not_hidden_by_a_lost_lock(
    here: Lake, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leases, "LEASE_SECONDS", 0.4)

    def run_that_fails() -> None:
        with run_lock(here):
            store.objects[LOCK].content = b"another's"
            time.sleep(0.3)
            raise ValueError("its own")

    with pytest.raises(ValueError, match="its own"):
        run_that_fails()


@pytest.mark.parametrize("what", ["lost", "done 500", "failed"])
def test_a_lost_answer_neither_loses_nor_doubles_the_lock(
    here: Lake, there: Lake, store: Store, what: str
) -> None:
    left = [what]
    store.fault = lambda method, key: (
        left.pop() if left and method == "PUT" and key == LOCK else ""
    )
    with run_lock(here):
        assert refused(there)
    assert not left
    assert not refused(there)


def test_a_store_that_is_away_at_the_end_fails_no_run(here: Lake, store: Store) -> None:
    with run_lock(here):
        store.fault = lambda *_: "failed"


def test_a_store_that_is_away_at_the_beginning_is_one_error(
    here: Lake, store: Store
) -> None:
    store.fault = lambda *_: "failed"
    with pytest.raises(LakeError, match="it fails"), run_lock(here):
        pass


def test_the_local_lock_is_free_again_after_a_refusal(here: Lake, there: Lake) -> None:
    with run_lock(there):
        assert refused(here)
    assert not refused(here)


def test_a_killed_process_frees_its_lock(store: Store, tmp_path: Path) -> None:
    program = (
        "import sys, time\n"
        "from pathlib import Path\n"
        "from recon.lake.lock import run_lock\n"
        "from tests.lake.bucket_cases import bucket_lake\n"
        "with run_lock(bucket_lake(sys.argv[1], Path(sys.argv[2]))):\n"
        "    print('held', flush=True)\n"
        "    time.sleep(60)\n"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", program, store.url, str(tmp_path / "here")],
        cwd=PROJECT,
        env=os.environ | {"PYTHONPATH": str(PROJECT)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdout is not None
    with holder.stdout:
        assert holder.stdout.readline() == "held\n"
        lake = bucket_lake(store.url, tmp_path / "here")
        other = bucket_lake(store.url, tmp_path / "there")
        assert refused(lake)
        assert refused(other)
        holder.send_signal(signal.SIGKILL)
        holder.wait()
    assert refused(other)  # for one lease
    assert not refused(lake)


def test_a_holder_that_was_overtaken_since_its_last_renewal_says_so(
    here: Lake, there: Lake, store: Store
) -> None:
    """It stood still, and went on so near to its end that it renewed no more."""
    held = run_lock(here)
    held.__enter__()
    store.objects[LOCK].at -= timedelta(seconds=leases.LEASE_SECONDS + 2)
    with run_lock(there):
        pass
    with pytest.raises(LockHeld, match="another took over"):
        held.__exit__(None, None, None)
    assert not refused(here)
