"""An encrypted lake: nothing legible on disk, everything as before with the key."""

import base64
import hashlib
import pickle
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from recon.errors import CorruptLake, LakeError, SettingsError
from recon.lake import Lake
from recon.lake.encryption import Key, data_set
from recon.lake.health import examine
from recon.lake.leftovers import sweep_orphans
from recon.lake.schema import TABLES
from recon.reconcile.opening import open_engine
from recon.settings import Business, LakeSettings, Secret, Settings
from tests.lake.bucket_cases import bucket_lake
from tests.lake.lake_cases import committed, ids, mandate, page
from tests.lake.s3_server import serving

TEXT = hashlib.sha256(b"a key for tests").hexdigest()
CANARY = "mandate-canary-of-a-person"


with_no_key_of_it = pytest.mark.parametrize(
    ("key", "told"),
    [
        ("", "is encrypted: lake.encryption_key is not set"),
        ("ab" * 32, "is encrypted with another key than lake.encryption_key"),
    ],
)


def lake_with(folder: Path, key: str = TEXT) -> Lake:
    given = LakeSettings(path=str(folder), encryption_key=Secret(key))
    return Lake.of(Settings(business=Business(name="shop"), lake=given))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Make an encrypted lake with columns of several pages and lists."""
    lake = lake_with(tmp_path / "lake")
    with lake.begin("pull", "mandates") as writing:
        at = writing.page(page(f'["{CANARY}"]'.encode()))
        rows = [
            mandate(f"m{each}", page_no=at, limit=each, customer_id=CANARY)
            for each in range(30_000)
        ]
        writing.rows("mandates", rows)
        writing.rows("checkouts", [{"id": CANARY, "payment_ids": ["a", "b"]}])
        writing.seen("mandates", [CANARY])
        writing.commit()
    return tmp_path / "lake"


def test_nothing_legible_is_on_the_disk(folder: Path) -> None:
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert sum(path.suffix == ".parquet" for path in files) == 4
    for path in files:
        content = path.read_bytes()
        assert CANARY.encode() not in content
        assert TEXT.encode() not in content
        assert bytes.fromhex(TEXT) not in content
        if path.suffix == ".parquet":
            assert content[:4] == content[-4:] == b"PARE"
            assert b"customer_id" not in content


def test_every_door_reads_it_with_the_key(folder: Path) -> None:
    lake = lake_with(folder)
    (commit,) = lake.commits()
    assert lake.versions("mandates").num_rows == 30_000
    current = lake.current("mandates", ["id", "limit"])
    assert sum(current["limit"].to_pylist()) == sum(range(30_000))
    assert lake.current("checkouts").to_pylist()[0]["payment_ids"] == ["a", "b"]
    assert CANARY.encode() in lake.page(commit.id, 1).body
    swept = lake.last_whole_sweep("mandates")
    assert swept is not None
    assert lake.read(swept[1])["id"].to_pylist() == [CANARY]
    assert examine(lake, deep=True).whole
    assert sweep_orphans(lake) == []


def test_queries_read_it_as_they_read_any_lake(folder: Path) -> None:
    lake = lake_with(folder)
    settings = Settings(business=Business(name="shop"))
    with open_engine(lake, settings, lake.now(), lake.commits()) as engine:
        found = engine.query(
            'select count(*) as n, sum("limit") as rials, min(customer_id) as who '
            'from raw_mandates where "limit" >= 10'
        ).to_pylist()
        swept = engine.query("select source_table, id from raw_seen_ids").to_pylist()
        empty = engine.query("select count(*) as n from raw_payments").to_pylist()
    rials = sum(range(10, 30_000))
    assert found == [{"n": 29_990, "rials": rials, "who": CANARY}]
    assert swept == [{"source_table": "mandates", "id": CANARY}]
    assert empty == [{"n": 0}]


def test_of_several_sweeps_each_id_has_its_list_and_its_pull(folder: Path) -> None:
    lake = lake_with(folder)
    with lake.begin("pull", "checkouts") as writing:
        writing.seen("checkouts", ["c1", "c2"])
        later = writing.commit()
    (first, _) = lake.commits()
    settings = Settings(business=Business(name="shop"))
    with open_engine(lake, settings, lake.now(), lake.commits()) as engine:
        rows = engine.query("select * from raw_seen_ids order by id").to_pylist()
        of_one = engine.query(
            "select id from raw_seen_ids where source_table = 'mandates'"
        ).to_pylist()
    assert rows == [
        {"source_table": "checkouts", "id": "c1", "pull_id": later.id},
        {"source_table": "checkouts", "id": "c2", "pull_id": later.id},
        {"source_table": "mandates", "id": CANARY, "pull_id": first.id},
    ]
    assert of_one == [{"id": CANARY}]


def test_arrow_reads_no_columns_ahead_and_gives_memory_back(folder: Path) -> None:
    lake = lake_with(folder)
    found = data_set(lake.files("mandates"), TABLES["mandates"].schema, lake.key)
    assert not found.format.default_fragment_scan_options.pre_buffer
    assert pa.default_memory_pool().backend_name == "system"


@with_no_key_of_it
def test_a_wrong_or_missing_key_is_one_clear_line(
    folder: Path, key: str, told: str
) -> None:
    lake = lake_with(folder, key)
    (commit,) = lake.commits()
    for read in (
        lambda: lake.versions("mandates"),
        lambda: lake.current("mandates"),
        lambda: lake.page(commit.id, 1),
        lambda: lake.last_whole_sweep("mandates"),
        lambda: examine(lake),
    ):
        with pytest.raises(LakeError, match=told) as caught:
            read()
        assert not isinstance(caught.value, CorruptLake)
        assert "\n" not in str(caught.value)
        assert TEXT not in str(caught.value)


@with_no_key_of_it
def test_nothing_is_written_with_a_wrong_key_or_without_one(
    folder: Path, key: str, told: str
) -> None:
    before = sorted(folder.rglob("*"))
    with pytest.raises(LakeError, match=told):
        lake_with(folder, key).begin("import", "books")
    assert sorted(folder.rglob("*")) == before
    committed(lake_with(folder), ["with its own key"])


def test_damaged_files_keep_nobody_from_writing_nor_a_wrong_key_unseen(
    folder: Path,
) -> None:
    (cut, *lost) = committed(lake_with(folder), ["newest"]).files
    path = folder / cut.path
    path.write_bytes(path.read_bytes()[:-9])
    for each in lost:
        (folder / each.path).unlink()
    with pytest.raises(LakeError, match="another key"):
        lake_with(folder, "ab" * 32).begin("import", "books")
    committed(lake_with(folder), ["later"])


def test_a_changed_byte_is_damage_and_no_wrong_key(folder: Path) -> None:
    lake = lake_with(folder)
    path = lake.files("checkouts")[0]
    content = path.read_bytes()
    path.write_bytes(content[:30] + bytes([content[30] ^ 1]) + content[31:])
    with pytest.raises(CorruptLake, match="SHA-256"):
        lake_with(folder).current("checkouts")
    (damage,) = examine(lake_with(folder)).damages
    assert damage.table == "checkouts"


def test_what_was_stored_before_the_key_is_still_read(tmp_path: Path) -> None:
    committed(lake_with(tmp_path / "lake", ""), ["old"])
    lake = lake_with(tmp_path / "lake")
    committed(lake, ["new"])
    assert ids(lake) == ["old", "new"]
    assert sorted(lake.current("mandates")["id"].to_pylist()) == ["new", "old"]
    assert examine(lake, deep=True).whole


def test_what_a_killed_writer_left_is_told_apart_without_the_key(
    folder: Path,
) -> None:
    whole = lake_with(folder).files("checkouts")[0]
    cut = whole.with_name("20260101T000000.000000Z-00000000.parquet")
    cut.write_bytes(whole.read_bytes()[:-9])
    lost = whole.with_name("20260102T000000.000000Z-00000000.parquet")
    lost.write_bytes(whole.read_bytes())
    left = examine(lake_with(folder)).leftovers
    assert [each.doubtful for each in left] == [False, True]


def test_any_reader_of_parquet_reads_it_with_the_key(folder: Path) -> None:
    """The format is the standard's: AES-256 in GCM mode with one key for all."""
    path = lake_with(folder).files("checkouts")[0]
    key = Key.of(Secret(TEXT))
    assert key is not None
    found = pq.read_table(path, decryption_properties=key.for_reading())
    assert found["id"].to_pylist() == [CANARY]
    with pytest.raises(OSError, match="no decryption"):
        pq.read_table(path)


def test_a_bucket_gets_encrypted_files_only(tmp_path: Path) -> None:
    with serving() as store:
        lake = bucket_lake(store.url, tmp_path / "one", encryption_key=Secret(TEXT))
        committed(lake, [CANARY])
        other = bucket_lake(store.url, tmp_path / "two", encryption_key=Secret(TEXT))
        assert ids(other) == [CANARY]
        kept = b"".join(each.content for each in store.objects.values())
    cached = b"".join(
        each.read_bytes() for each in tmp_path.rglob("*") if each.is_file()
    )
    assert CANARY.encode() not in kept + cached
    assert TEXT not in "".join(store.headers)


@pytest.mark.parametrize("text", [TEXT, TEXT.upper()], ids=["lower", "upper"])
def test_a_key_is_hex_or_base64(text: str) -> None:
    key = Key.of(Secret(text))
    other = Key.of(Secret(base64.b64encode(bytes.fromhex(TEXT)).decode()))
    assert key is not None
    assert other is not None
    assert key._bytes == other._bytes == bytes.fromhex(TEXT)
    assert Key.of(Secret("")) is None


BASE64 = base64.b64encode(bytes.fromhex(TEXT)).decode()


@pytest.mark.parametrize(
    "text",
    [
        *("x", "ab" * 31, "ab" * 33, "zz" * 32, "é" * 44),
        *(f"!{BASE64}", f"{BASE64[:9]} {BASE64[9:]}"),
    ],
)
def test_what_is_no_key_is_refused_and_not_shown(text: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"^lake\.encryption_key: 32 bytes") as told:
        lake_with(tmp_path, text)
    assert text not in str(told.value) or len(text) == 1
    assert told.value.__suppress_context__ or told.value.__context__ is None


def test_a_key_never_shows_itself() -> None:
    key = Key.of(Secret(TEXT))
    assert key is not None
    assert (repr(key), str(key), f"{key}") == ("***", "***", "***")
    with pytest.raises(TypeError):
        pickle.dumps(key)
