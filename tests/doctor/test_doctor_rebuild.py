"""Damaged files of pulls are made again from pages, byte for byte or not at all."""

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from recon import demo
from recon.doctor import Level
from recon.lake import Page, StoredFile
from recon.lake.encryption import Key
from recon.lake.health import Kind, examine
from recon.lake.leftovers import sweep_orphans
from recon.pull.rebuilding import is_rebuildable, rebuild
from recon.sandbox.world import CHECKOUT_NOT_PAID
from recon.settings import Http
from recon.times import zone
from tests.campaign.clock import Clock
from tests.campaign.shop import UNTIL, Shop, opened
from tests.doctor.doctor_cases import examined, of, provider, told

Bytes = dict[str, str]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    """A shop that was pulled whole, whole again after restatements, and in part."""
    shop = opened(
        tmp_path_factory.mktemp("made") / "shop", days=5, daily=30, faults=("all",)
    )
    shop.take_files()
    assert shop.pull().complete
    shop.made.second_night()
    assert shop.pull(full=True).complete
    assert shop.pull().complete
    return shop


@pytest.fixture
def shop(made: Shop, tmp_path: Path) -> Shop:
    shutil.copytree(made.folder, tmp_path / "shop", symlinks=True)
    return made.at(tmp_path / "shop")


def content(shop: Shop) -> Bytes:
    """Return the SHA-256 of every file of the lake."""
    files = sorted(path for path in shop.root.rglob("*") if path.is_file())
    return {
        path.relative_to(shop.root).as_posix(): hashlib.sha256(
            path.read_bytes()
        ).hexdigest()
        for path in files
    }


def read_from_pages(shop: Shop, *folders: str) -> list[StoredFile]:
    """Return the files of pulls in these folders."""
    commits = shop.lake().commits(kind="pull")
    files = [file for commit in commits for file in commit.files]
    return [file for file in files if file.folder in folders]


def flip(path: Path) -> None:
    held = bytearray(path.read_bytes())
    held[len(held) // 2] ^= 1
    path.write_bytes(held)


def doctor(shop: Shop, **wishes: object) -> tuple[list[str], list[str], list[str]]:
    """Examine; returns what is as it should be, what is wrong, and what to do."""
    path = shop.folder / "recon.toml"
    found = examined(path, provider(), environment=demo.keys(), **wishes)
    wrong = of(found, "lake", Level.PROBLEM)
    fine = told(found, "lake", Level.OK)
    return fine, [each.told for each in wrong], [each.do for each in wrong]


@pytest.mark.parametrize("damage", [flip, Path.unlink], ids=["flipped", "missing"])
def test_every_damaged_file_of_rows_and_ids_is_made_again(
    shop: Shop, damage: Callable[[Path], None]
) -> None:
    before = content(shop)
    lost = read_from_pages(shop, "records", "seen")
    tables = {(file.folder, file.table) for file in lost}
    assert {("records", "payments"), ("records", "gateway_transactions")} <= tables
    assert {("records", "balances"), ("seen", "agreements")} <= tables
    for file in lost:
        damage(shop.root / file.path)
    _, wrong, do = doctor(shop)
    assert len(wrong) == len(lost)
    assert all("recon doctor --rebuild makes it again" in each for each in do)
    hurt = content(shop)
    fine, wrong, _ = doctor(shop, rebuild=True, dry_run=True)
    assert sum("would be rebuilt from its pages" in each for each in fine) == len(lost)
    assert len(wrong) == len(lost)
    assert content(shop) == hurt
    fine, wrong, _ = doctor(shop, rebuild=True)
    assert sum(": rebuilt from its pages" in each for each in fine) == len(lost)
    assert wrong == []
    assert content(shop) == before
    assert all((shop.root / file.path).stat().st_mode & 0o77 == 0 for file in lost)


def test_a_file_alone_is_made_again_by_another_process(shop: Shop) -> None:
    before = content(shop)
    for file in read_from_pages(shop, "seen"):
        flip(shop.root / file.path)
    config = str(shop.folder / "recon.toml")
    done = subprocess.run(
        [sys.executable, "-m", "recon", "doctor", "--rebuild", "--config", config],
        env={**os.environ, **demo.keys(), "PYTHONHASHSEED": "4"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "rebuilt from its pages" in done.stdout, done.stderr
    assert content(shop) == before


def test_damaged_pages_are_named_and_nothing_is_put_in_place(shop: Shop) -> None:
    commit = next(c for c in shop.lake().commits(kind="pull") if c.source == "mandates")
    pages, rows = (
        next(file for file in commit.files if file.folder == folder)
        for folder in ("pages", "records")
    )
    other = next(f for f in read_from_pages(shop, "records") if f.table == "accounts")
    before = content(shop)
    for file in (pages, rows, other):
        flip(shop.root / file.path)
    hurt = content(shop)
    _, wrong, do = doctor(shop)
    advice = do[[each.startswith(rows.path) for each in wrong].index(True)]
    assert f"the pages that it was read from are damaged too: {pages.path}" in advice
    assert "--rebuild" not in advice
    fine, wrong, do = doctor(shop, rebuild=True)
    assert any(f"{other.path}: rebuilt" in each for each in fine)
    assert [each.partition(": ")[0] for each in wrong] == [pages.path, rows.path]
    assert "not restored" in do[1]
    assert pages.path in do[1]
    assert content(shop) == hurt | {other.path: before[other.path]}


def test_a_page_that_is_committed_wrong_proves_nothing(shop: Shop) -> None:
    """Rows that come out otherwise are not the lost ones, however alike."""
    commit = next(c for c in shop.lake().commits(kind="pull") if c.source == "mandates")
    lake = shop.lake()
    honest = lake.pages

    def otherwise(stored: StoredFile) -> Iterator[Page]:
        for page in honest(stored):
            body = page.body.replace(b'"active"', b'"actives"')
            yield msgspec.structs.replace(page, body=body)

    lake.pages = otherwise  # type: ignore[method-assign]
    rows = next(file for file in commit.files if file.folder == "records")
    flip(shop.root / rows.path)
    damages = [each for each in examine(lake).damages if each.kind is Kind.RECORDS]
    folder = shop.folder / "made"
    told = rebuild(shop.settings, lake, damages, folder)
    assert "come out otherwise" in told[rows.path]
    assert not (folder / rows.path).exists()


def test_settings_that_name_the_product_no_more_are_told(shop: Shop) -> None:
    file = next(f for f in read_from_pages(shop, "records") if f.table == "agreements")
    flip(shop.root / file.path)
    damages = examine(shop.lake()).damages
    settings = replace(shop.settings, escrow=None)
    told = rebuild(settings, shop.lake(), damages, shop.folder / "made")
    assert "do not name the product of agreements" in told[file.path]


def test_an_encrypted_lake_promises_nothing(shop: Shop) -> None:
    """Its bytes are others each time, so that they could prove nothing."""
    flip(shop.root / read_from_pages(shop, "records")[0].path)
    lake = shop.lake()
    (damage,) = examine(lake).damages
    assert is_rebuildable(lake, damage)
    lake.key = Key(b"k" * 32)
    assert not is_rebuildable(lake, damage)
    assert rebuild(shop.settings, lake, [damage], shop.folder / "made") == {}


def test_other_settings_of_requests_do_no_harm(shop: Shop) -> None:
    lost = read_from_pages(shop, "records", "seen")
    for file in lost:
        flip(shop.root / file.path)
    settings = replace(shop.settings, http=Http(concurrency=2, retries=0, rate_limit=1))
    damages = examine(shop.lake()).damages
    assert rebuild(settings, shop.lake(), damages, shop.folder / "made") == {}


@pytest.mark.parametrize("days", [-40, 40], ids=["back", "forward"])
def test_a_clock_that_was_set_since_does_no_harm(tmp_path: Path, days: int) -> None:
    """What was young enough to be read in part then is so by the clock of then."""
    short = {"RECON_UNIFIED__PER_PAGE": "5"}
    shop = opened(tmp_path / "shop", days=4, daily=20, variables=short)
    then = datetime(UNTIL.year, UNTIL.month, UNTIL.day, tzinfo=UTC) + timedelta(days=1)
    with Clock(then).moving():
        assert shop.pull(full=True).complete
        oldest, *_ = (
            checkout
            for checkout in shop.made.world.checkouts.values()
            if checkout["status"] == CHECKOUT_NOT_PAID
        )
        oldest["updated_at"] += 60
        (later,) = shop.pull(sources=["checkouts"]).sources
    assert (later.status, later.counts.changed) == ("partial", 1)
    for file in read_from_pages(shop, "records", "seen"):
        flip(shop.root / file.path)
    damages = examine(shop.lake()).damages
    with Clock(then + timedelta(days=days)).moving():
        told = rebuild(shop.settings, shop.lake(), damages, shop.folder / "made")
    assert told == {}


@pytest.mark.parametrize("is_told", [True, False], ids=["with its day", "in place"])
def test_a_balance_is_that_of_the_wallet_of_then(shop: Shop, is_told: bool) -> None:
    """Its page is that of the old IBAN, which the settings must still know."""
    cash_in = shop.settings.cash_in
    file, *_ = (f for f in read_from_pages(shop, "records") if f.table == "balances")
    assert cash_in
    new = "IR890170000000100324200002"
    today = datetime.now(zone("Asia/Tehran")).strftime("%Y-%m-%d %H:%M:%S")
    changed = {"wallet_iban_since": {today: new}} if is_told else {"wallet_iban": new}
    settings = replace(shop.settings, cash_in=replace(cash_in, **changed))
    flip(shop.root / file.path)
    damages = examine(shop.lake()).damages
    told = rebuild(settings, shop.lake(), damages, shop.folder / "made")
    assert told.keys() == (set() if is_told else {file.path})


def test_what_was_not_read_from_pages_is_not_promised(shop: Shop) -> None:
    commits = shop.lake().commits(kind="import")
    file = next(f for c in commits for f in c.files if f.folder == "records")
    flip(shop.root / file.path)
    _, _, (do,) = doctor(shop)
    assert "--rebuild" not in do
    assert doctor(shop, rebuild=True)[1]
    assert sweep_orphans(shop.lake()) == []
