"""From `lake.path` to the storage that it names: a folder, or a bucket of S3."""

import hashlib
import re
from pathlib import Path
from typing import NamedTuple

from recon.errors import SettingsError
from recon.lake.folder import Folder
from recon.lake.storage import Storage
from recon.settings import Settings

SCHEME = "s3://"
"""What the address of a lake in a bucket begins with."""

_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_SEGMENT = re.compile(r"[A-Za-z0-9!_.*'()=-]{1,128}")
_MOST_CHARACTERS = 512
_WITHOUT_USER = (
    "lake.path: an address without a user name or password in it (see "
    "lake.access_key_id and lake.secret_access_key)"
)
_EXTRA = "lake.path: a lake in a bucket needs: pip install 'recon[s3]'"


class Address(NamedTuple):
    """A place in an object store; the prefix has no slash at either end."""

    bucket: str
    prefix: str

    def __str__(self) -> str:
        return f"{SCHEME}{self.bucket}/{self.prefix}".rstrip("/")


def parse_address(text: str) -> Address:
    """Read `s3://bucket/prefix`; SettingsError on what no bucket or prefix is."""
    if "@" in text:  # what stands before it may be a secret: it is not repeated
        raise SettingsError(_WITHOUT_USER)
    if not text.startswith(SCHEME):
        raise SettingsError(f"lake.path: {text} is neither a folder nor s3://…")
    bucket, _, prefix = text.removeprefix(SCHEME).partition("/")
    prefix = prefix.rstrip("/")
    if not _BUCKET.fullmatch(bucket) or ".." in bucket:
        raise SettingsError(
            f"lake.path: {bucket!r} is no name of a bucket (3 to 63 of a-z, 0-9, . -)"
        )
    segments = prefix.split("/") if prefix else []
    plain = all(
        _SEGMENT.fullmatch(each) and each not in {".", ".."} for each in segments
    )
    if not plain or len(prefix) > _MOST_CHARACTERS:
        raise SettingsError(
            f"lake.path: {prefix!r} is no prefix: names of letters, digits and "
            "!_.*'()=- with / between them"
        )
    return Address(bucket, prefix)


def storage_of(settings: Settings) -> Storage:
    """Return the storage of the lake that the settings name."""
    if "://" not in settings.lake_path:
        return Folder(Path(settings.lake_path))
    address = parse_address(settings.lake_path)
    given = settings.lake
    if bool(given.access_key_id) != bool(given.secret_access_key):
        raise SettingsError(
            "lake.access_key_id and lake.secret_access_key: one is set without the "
            "other"
        )
    try:
        from recon.lake.bucket import Bucket  # noqa: PLC0415 - needs an extra
    except ImportError:
        raise SettingsError(_EXTRA) from None
    return Bucket(address, cache_folder(settings, address), given)


def cache_folder(settings: Settings, address: Address) -> Path:
    """Return the local folder of a bucket's copies; each lake has one of its own."""
    whole = f"{settings.lake.endpoint} {address}"
    digest = hashlib.sha256(whole.encode()).hexdigest()[:16]
    return settings.cache_path / f"{address.bucket}-{digest}"
