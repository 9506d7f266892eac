"""Builders of lakes in a bucket on loopback, as settings name them."""

from collections.abc import Callable
from pathlib import Path

from recon.lake import Lake
from recon.lake.bucket import Bucket
from recon.settings import Business, LakeSettings, Secret, Settings
from tests.lake.s3_server import BUCKET, KEY_ID, SECRET

PREFIX = "shops/one"
Opener = Callable[..., Lake]


def settings_of(url: str, cache: Path, **changes: object) -> Settings:
    given = {
        "path": f"s3://{BUCKET}/{PREFIX}",
        "endpoint": url,
        "region": "us-east-1",
        "access_key_id": Secret(KEY_ID),
        "secret_access_key": Secret(SECRET),
        "cache": str(cache),
    }
    lake = LakeSettings(**(given | changes))  # type: ignore[arg-type]
    return Settings(business=Business(name="shop"), lake=lake, folder=cache.parent)


def bucket_lake(url: str, cache: Path, **changes: object) -> Lake:
    return Lake.of(settings_of(url, cache, **changes))


def bucket_of(lake: Lake) -> Bucket:
    assert isinstance(lake.storage, Bucket)
    return lake.storage


def record_key(number: int) -> str:
    return f"{PREFIX}/commits/{number:08d}.json"
