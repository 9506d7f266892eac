"""A lake in a bucket: its address, its credentials and who may read its cache."""

import stat
import sys
from pathlib import Path

import pytest

from recon.errors import LakeError, SettingsError
from recon.lake.addresses import parse_address
from recon.settings import Secret
from tests.lake.bucket_cases import Opener, bucket_lake, bucket_of
from tests.lake.lake_cases import committed, ids
from tests.lake.s3_server import KEY_ID, SECRET, Store


def test_no_credential_is_in_an_error_or_in_a_file(
    opener: Opener, store: Store, tmp_path: Path
) -> None:
    lake = opener()
    committed(lake, ["a"])
    told = [repr(lake.storage), repr(bucket_of(lake).objects)]
    for what in ("denied", "failed", "lost"):
        store.fault = lambda *_, what=what: what  # type: ignore[misc]
        with pytest.raises(LakeError) as caught:
            opener(what).commits()
        told.append(f"{caught.value} {caught.value.__cause__}")
        assert caught.value.__suppress_context__
        assert "\n" not in str(caught.value)
    assert not [each for each in told if KEY_ID in each or SECRET in each]
    assert "AccessDenied 403" in told[2]
    kept = b"".join(each.read_bytes() for each in tmp_path.rglob("*") if each.is_file())
    sent = "".join(store.headers)
    assert KEY_ID.encode() not in kept
    assert SECRET.encode() not in kept
    assert SECRET not in sent


def test_a_bucket_that_is_not_there_is_said_to_be(store: Store, tmp_path: Path) -> None:
    lake = bucket_lake(store.url, tmp_path / "one", path="s3://other-bucket")
    with pytest.raises(LakeError, match="s3://other-bucket: there is no such bucket"):
        lake.commits()
    with pytest.raises(LakeError, match="there is no such bucket"):
        committed(lake, ["a"])


def test_a_store_that_is_away_is_one_line(tmp_path: Path, store: Store) -> None:
    lake = bucket_lake("http://127.0.0.1:9", tmp_path / "one")
    with pytest.raises(LakeError, match=r"^s3://\S+: it does not answer$"):
        lake.commits()


def test_plain_http_is_not_taken_from_the_environment(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A setting names http to loopback only; the environment cannot loosen that."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", store.url)
    monkeypatch.setenv("AWS_ALLOW_HTTP", "true")
    with pytest.raises(LakeError):
        bucket_lake("", tmp_path / "one").commits()
    assert store.requests == []


def test_credentials_may_come_from_the_standard_environment(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAFROMENVIRONMENT")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "x" * 40)
    nothing = {"access_key_id": Secret(""), "secret_access_key": Secret("")}
    lake = bucket_lake(store.url, tmp_path / "one", **nothing)
    committed(lake, ["a"])
    assert "AKIAFROMENVIRONMENT" in store.headers[-1]


def test_one_half_of_the_credentials_is_refused(store: Store, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="one is set without the other"):
        bucket_lake(store.url, tmp_path / "one", access_key_id=Secret(""))


@pytest.mark.parametrize(
    "address",
    [
        "gs://bucket/x",
        "s3://",
        "s3://AB",
        "s3://Bucket/x",
        "s3://a..b/x",
        "s3://bucket/a/../b",
        "s3://bucket//a",
        "s3://bucket/a b",
        "s3://bucket/ا",
        "s3://user:word@bucket/x",
        "s3://bucket/" + "x/" * 300,
    ],
)
def test_an_address_that_is_none_is_refused(address: str) -> None:
    with pytest.raises(SettingsError, match=r"^lake\.path: "):
        parse_address(address)


def test_addresses_are_read_to_the_last_slash() -> None:
    assert parse_address("s3://bucket") == ("bucket", "")
    assert parse_address("s3://bucket/a/b/") == ("bucket", "a/b")
    assert str(parse_address("s3://bucket/a/b/")) == "s3://bucket/a/b"


def test_only_the_owner_may_read_the_cache(opener: Opener) -> None:
    committed(opener("one"), ["a"])
    lake = opener("two")
    ids(lake)
    for path in [lake.root, *lake.root.rglob("*")]:
        wanted = 0o700 if path.is_dir() else 0o600
        assert stat.S_IMODE(path.stat().st_mode) == wanted, path


def test_without_the_extra_one_line_says_what_to_install(
    opener: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [each for each in sys.modules if each.startswith("obstore")]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, "recon.lake.bucket")
    monkeypatch.delitem(sys.modules, "recon.lake.objects")
    monkeypatch.delitem(sys.modules, "recon.lake.leases")
    with pytest.raises(SettingsError, match=r"pip install 'recon\[s3\]'"):
        opener()
