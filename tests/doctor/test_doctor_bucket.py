"""The doctor over a lake in a bucket: the same questions, asked of the store."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from recon import setting_files
from recon.doctor import Diagnosis, Level
from recon.errors import ExitCode
from recon.lake import Lake, objects
from tests.doctor.doctor_cases import config, examined, of, told
from tests.lake.lake_cases import committed, page
from tests.lake.s3_server import BUCKET, KEY_ID, SECRET, Store, serving


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    monkeypatch.setattr(objects, "_FIRST_WAIT_SECONDS", 0.01)
    monkeypatch.setattr(objects, "_LIBRARY_TRIES", 0)
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)
    with serving() as found:
        yield found


class Shop:
    """A workspace whose lake is in the bucket."""

    def __init__(self, store: Store, folder: Path) -> None:
        lake = f'[lake]\npath = "s3://{BUCKET}/shop"\nendpoint = "{store.url}"\n'
        self.path = config(folder, f'{lake}region = "us-east-1"\n')
        self.environment = {
            "RECON_LAKE__ACCESS_KEY_ID": KEY_ID,
            "RECON_LAKE__SECRET_ACCESS_KEY": SECRET,
        }

    def lake(self) -> Lake:
        return Lake.of(setting_files.load(self.path, self.environment))

    def examined(self, **wishes: object) -> Diagnosis:
        return examined(self.path, environment=self.environment, **wishes)


@pytest.fixture
def shop(store: Store, tmp_path: Path) -> Shop:
    made = Shop(store, tmp_path)
    committed(made.lake(), ["a"])
    return made


def test_a_sound_bucket_is_said_to_be(shop: Shop) -> None:
    found = shop.examined(deep=True)
    assert not of(found, "lake", Level.PROBLEM)
    assert "1 commit, 2 files" in told(found, "lake")[0]
    assert "1 page rehashed" in told(found, "lake")[0]
    assert any("lake.cache" in each for each in told(found, "disk"))


def test_a_damaged_object_is_named_though_its_copy_is_sound(
    shop: Shop, store: Store
) -> None:
    (key,) = [each for each in store.objects if "/records/" in each]
    content = store.objects[key].content
    store.objects[key].content = content[:50] + b"x" + content[51:]
    found = shop.examined()
    (finding,) = of(found, "lake", Level.PROBLEM)
    assert key.removeprefix("shop/") in finding.told
    assert "SHA-256" in finding.told
    assert found.exit_code is ExitCode.INCOMPLETE


def test_leftovers_in_a_bucket_are_swept(shop: Shop, store: Store) -> None:
    writing = shop.lake().begin("pull", "mandates")
    writing.page(page())
    files = [file.close().path for file in writing._files.values()]
    writing._storage.publish(writing.id, files)
    store.age(hours=48)
    assert any(
        "killed runs left 2 files" in each for each in told(shop.examined(), "lake")
    )
    swept = told(shop.examined(sweep=True), "lake")
    assert any("removed 2 files" in each for each in swept)
    assert not [each for each in store.objects if writing.id in each]
    assert len(shop.lake().commits()) == 1


def test_a_bucket_that_refuses_says_what_to_look_at(shop: Shop, store: Store) -> None:
    store.fault = lambda *_: "denied"
    found = shop.examined()
    (finding,) = of(found, "lake", Level.PROBLEM)
    assert "refuses these credentials" in finding.told
    assert "lake.endpoint" in finding.do
    assert KEY_ID not in str(found)
    assert SECRET not in str(found)


def test_a_missing_key_says_which_variable_to_set(
    shop: Shop, tmp_path: Path, store: Store
) -> None:
    shop.environment["RECON_LAKE__ENCRYPTION_KEY"] = "ab" * 32
    committed(shop.lake(), ["b"])
    del shop.environment["RECON_LAKE__ENCRYPTION_KEY"]
    (finding,) = of(shop.examined(), "lake", Level.PROBLEM)
    assert "is encrypted: lake.encryption_key is not set" in finding.told
    assert "RECON_LAKE__ENCRYPTION_KEY" in finding.do
