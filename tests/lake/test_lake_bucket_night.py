"""A whole night on a lake in a bucket, and the same reports as over a folder."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from recon import demo, nightly, setting_files
from recon.errors import ExitCode
from recon.lake import Lake
from recon.lake.health import examine
from recon.reconcile.run import reconcile
from recon.reports.writing import write
from recon.sandbox import history
from recon.sandbox.app import Credentials
from recon.sandbox.server import serve
from recon.settings import Settings
from tests.lake.s3_server import BUCKET, KEY_ID, SECRET, Store, serving

PREFIX = "shops/night"


@pytest.fixture
def store() -> Iterator[Store]:
    with serving() as found:
        yield found


def prepared(folder: Path, made: history.History, url: str, base: str) -> Settings:
    """Write a demo's workspace whose lake the environment puts into the bucket."""
    folder.mkdir()
    demo._prepare(folder, made, base)
    lake = {
        "RECON_LAKE__PATH": f"s3://{BUCKET}/{PREFIX}",
        "RECON_LAKE__ENDPOINT": url,
        "RECON_LAKE__REGION": "us-east-1",
        "RECON_LAKE__ACCESS_KEY_ID": KEY_ID,
        "RECON_LAKE__SECRET_ACCESS_KEY": SECRET,
        "RECON_REPORTS__EXCEL": "false",
        "RECON_REPORTS__HTML": "false",
    }
    settings = setting_files.load(folder / "recon.toml", demo.keys() | lake)
    demo._import(made, folder / "imports", settings, Lake.of(settings))
    return settings


def mirrored(store: Store, folder: Path) -> Lake:
    for key, stored in store.objects.items():
        place = folder / key.removeprefix(f"{PREFIX}/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(stored.content)
    return Lake(folder)


def reports(lake: Lake, settings: Settings, folder: Path) -> dict[str, Path]:
    """Write the reports of what was known at the night's own run."""
    place = replace(settings, reports=replace(settings.reports, path=str(folder)))
    (run,) = lake.commits(kind="run")
    with reconcile(lake, place, as_of=run.as_of) as result:
        return write(result, place)


def tables(files: dict[str, Path]) -> dict[str, bytes]:
    return {
        name: path.read_bytes() for name, path in files.items() if path.suffix == ".csv"
    }


def test_a_night_over_a_bucket_reports_what_one_over_a_folder_does(
    store: Store, tmp_path: Path
) -> None:
    made = history.generate(5, days=4, daily=15, faults=("all",))
    with serve(made.world, Credentials()) as running:
        settings = prepared(tmp_path / "shop", made, store.url, running.base_url)
        night = nightly.run(settings, Lake.of(settings))
    assert night.exit_code is ExitCode.BREAKS_OPEN
    assert night.breaks.num_rows > 5
    assert examine(Lake.of(settings), deep=True).whole
    folder = mirrored(store, tmp_path / "mirror")
    from_folder = tables(reports(folder, settings, tmp_path / "reports"))
    assert from_folder.keys() >= {"breaks.csv", "journal.csv", "rollforward.csv"}
    assert from_folder == tables(night.files)
    assert not (tmp_path / "shop" / "data" / "lake").exists()
    assert (tmp_path / "shop" / "data" / "lake-cache").is_dir()
