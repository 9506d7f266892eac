"""What a hostile provider left in the lake can be made again from its pages, too."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from recon import setting_files
from recon.api.ids import IdTexts
from recon.errors import NO_MORE_FILES, CorruptLake, LakeError
from recon.lake import Page
from recon.lake.health import Damage, Kind
from recon.pull.rebuilding import rebuild
from recon.pull.replaying import KeptPages
from tests.pull.test_hostile_lists import CASES, Case, Shop, host, shop

__all__ = ["host", "shop"]  # fixtures

NAMES = {
    "an empty page once",
    "HTML with 200",
    "429 for a while",
    "429 for a year",
    "rows that leave",
    "rows that go in",
    "rows that change places",
}


@pytest.mark.parametrize(
    "case",
    [case for case in CASES if case.name in NAMES],
    ids=lambda case: case.name,
)
def test_a_pull_that_met_trouble_is_made_again_byte_for_byte(
    case: Case, shop: Shop, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    case.arrange(shop.list)
    shop.pull(capsys)
    shop.list.calm()
    shop.pull(capsys)
    lost = [
        Damage(Kind(file.folder), file.path, "", commit, file.table, file.sha256)
        for commit in shop.lake.commits(kind="pull")
        for file in commit.files
        if file.folder != "pages"
    ]
    settings = setting_files.load(shop.config)
    assert lost
    assert rebuild(settings, shop.lake, lost, tmp_path / "made") == {}
    assert all((tmp_path / "made" / each.path).is_file() for each in lost)


def test_ids_are_kept_in_the_order_in_which_they_came() -> None:
    """Else their file would be another in each process, as hashes of texts are."""
    ids = IdTexts()
    ids.take([f"a{number}" for number in range(50)])
    ids.take([f"{letter}{number}" for number in range(50) for letter in "ab"])
    kept = [each for chunk in ids.texts() for each in chunk.to_pylist()]
    assert kept == [f"{letter}{number}" for letter in "ab" for number in range(50)]


@pytest.mark.parametrize(
    "error", [CorruptLake("a page is not what was stored"), LakeError(NO_MORE_FILES)]
)
def test_pages_that_cannot_be_read_end_every_request(error: LakeError) -> None:
    """Who goes on waiting waits for ever: nobody reads the pages any more."""

    def pages() -> Iterator[Page]:
        raise error
        yield

    async def asked() -> list[object]:
        async with httpx.AsyncClient(transport=KeptPages(pages())) as client:
            waiting = [client.get(f"https://host.test/{name}") for name in "ab"]
            all_of_them = asyncio.gather(*waiting, return_exceptions=True)
            for _ in range(1_000):
                await asyncio.sleep(0)
            return list(all_of_them.result())

    assert asyncio.run(asked()) == [error, error]
