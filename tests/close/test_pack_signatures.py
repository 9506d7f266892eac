"""A pack is signed for a key, and every other key, byte or absence is told."""

import dataclasses
import json
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519

from recon.cli.group import run
from recon.close import Closing, verify
from recon.close.packs import MANIFEST, manifest_of, write
from recon.close.signing import (
    PASSPHRASE_VARIABLE,
    SIGNATURE,
    Signer,
    signer_of,
    verifier_of,
)
from recon.errors import UsageError
from tests.close.closed_shop import PERIOD, closed, copied, trade
from tests.reconcile.lake_history import History, at

PASSPHRASE = "correct horse"
PEM = serialization.Encoding.PEM


def written(folder: Path, name: str, passphrase: str = "") -> tuple[Path, Path]:
    """Make a pair of keys; their files."""
    key = ed25519.Ed25519PrivateKey.generate()
    sealed: serialization.KeySerializationEncryption = serialization.NoEncryption()
    if passphrase:
        sealed = serialization.BestAvailableEncryption(passphrase.encode())
    private, public = folder / f"{name}.pem", folder / f"{name}.public.pem"
    private.write_bytes(
        key.private_bytes(PEM, serialization.PrivateFormat.PKCS8, sealed)
    )
    public.write_bytes(
        key.public_key().public_bytes(
            PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
    )
    return private, public


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the pair `ours` and the pair `other`."""
    folder = tmp_path_factory.mktemp("keys")
    written(folder, "ours")
    written(folder, "other")
    return folder


@pytest.fixture(scope="module")
def made(keys: Path, tmp_path_factory: pytest.TempPathFactory) -> Closing:
    """The period, closed and signed; not to be touched."""
    folder = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as patch:
        history = History(folder / "lake", patch)
        trade(history)
        return closed(history, signer=signer_of(keys / "ours.pem"))


@pytest.fixture
def pack(made: Closing, tmp_path: Path) -> Path:
    """A copy of the signed pack."""
    return Path(shutil.copy(made.pack, tmp_path / "pack.zip"))


def rewritten(pack: Path, change: Callable[[dict[str, bytes]], None]) -> None:
    with zipfile.ZipFile(pack) as opened:
        files = {name: opened.read(name) for name in opened.namelist()}
    change(files)
    write(pack, files)


def differences(pack: Path, keys: Path, name: str | None = "ours") -> list[str]:
    key = verifier_of(keys / f"{name}.public.pem") if name else None
    proof = verify(pack, None, None, key=key)
    assert proof.signed is (bool(name) and not proof.differences)
    return proof.differences


def test_a_signed_pack_is_proven_by_its_key(pack: Path, keys: Path) -> None:
    assert differences(pack, keys) == []


def test_without_a_key_a_signature_is_not_checked_and_that_is_said(
    pack: Path, keys: Path
) -> None:
    assert differences(pack, keys, None) == []
    notes = verify(pack, None, None).notes
    assert any("its signature was not checked" in note for note in notes)


def test_another_key_proves_nothing(pack: Path, keys: Path) -> None:
    (told,) = differences(pack, keys, "other")
    assert "was signed for another key" in told


def test_a_pack_without_a_signature_does_not_hold_where_a_key_is_given(
    pack: Path, keys: Path
) -> None:
    def unsigned(files: dict[str, bytes]) -> None:
        del files[SIGNATURE]

    rewritten(pack, unsigned)
    for name in ("ours", None):
        (told,) = differences(pack, keys, name)
        assert "the manifest says that it is signed; it is not" in told


def test_a_pack_that_was_never_signed_is_told_from_one_that_was(
    tmp_path: Path, keys: Path
) -> None:
    said = {
        "format": "recon audit pack",
        "period": "p",
        "first": "2026-10-01",
        "last": "2026-10-05",
        "as_of": "2026-10-07T00:00:00Z",
        "run_id": "r",
    }
    path = tmp_path / "plain.zip"
    write(path, {"a": b"1", MANIFEST: manifest_of({"a": b"1"}, said)})
    assert differences(path, keys, None) == []
    (told,) = differences(path, keys)
    assert told.endswith("the pack is not signed")
    rewritten(path, lambda files: files.update({SIGNATURE: b"s" * 64}))
    for name in ("ours", None):
        (told,) = differences(path, keys, name)
        assert told.endswith("in the pack, and the manifest names no key of it")


def test_a_forged_manifest_is_not_the_keys(pack: Path, keys: Path) -> None:
    def forge(files: dict[str, bytes]) -> None:
        """Change a figure and make every hash fit it again."""
        signature = files.pop(SIGNATURE)
        manifest = json.loads(files.pop(MANIFEST))
        files["balances.csv"] += b"x"
        said = {k: v for k, v in manifest.items() if k not in ("entries", "sha256")}
        files[MANIFEST] = manifest_of(files, said)
        files[SIGNATURE] = signature

    rewritten(pack, forge)
    assert differences(pack, keys, None) == []
    (told,) = differences(pack, keys)
    assert f"not the key's signature of this {MANIFEST}" in told


@pytest.mark.parametrize("forged", [b"", b"x", b"\0" * 64, b"y" * 65])
def test_a_forged_signature_is_not_the_keys(
    pack: Path, keys: Path, forged: bytes
) -> None:
    rewritten(pack, lambda files: files.update({SIGNATURE: forged}))
    (told,) = differences(pack, keys)
    assert "it is not the key's signature" in told


def test_an_endless_signature_is_no_pack(pack: Path, keys: Path) -> None:
    rewritten(pack, lambda files: files.update({SIGNATURE: b"0" * 1025}))
    with pytest.raises(UsageError, match="too long"):
        differences(pack, keys)


def test_the_lake_proves_a_signed_pack_too(
    made: Closing, keys: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    history = copied(made.pack.parents[2], tmp_path, monkeypatch)
    history.clock(at(20))
    there = dataclasses.replace(
        made, pack=history.settings.reports_path / "closed" / made.pack.name
    )
    key = verifier_of(keys / "ours.public.pem")
    proof = verify(there.pack, history.settings, history.lake, key=key)
    assert (proof.differences, proof.signed) == ([], True)


def test_the_key_is_nowhere_in_the_pack_or_the_lake(made: Closing, keys: Path) -> None:
    secret = (keys / "ours.pem").read_bytes().splitlines()[1]
    folder = made.pack.parents[2]
    stored = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    with zipfile.ZipFile(made.pack) as opened:
        stored += b"".join(opened.read(name) for name in opened.namelist())
    assert secret not in stored
    assert len(made.signing_key_sha256 or "") == 64


@pytest.mark.skipif(not shutil.which("openssl"), reason="openssl is not here")
def test_openssl_proves_it_too(pack: Path, keys: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(pack) as opened:
        for name in (MANIFEST, SIGNATURE):
            opened.extract(name, tmp_path)
    asked = ["openssl", "pkeyutl", "-verify", "-pubin", "-rawin"]
    asked += ["-inkey", str(keys / "ours.public.pem")]
    asked += ["-in", str(tmp_path / MANIFEST), "-sigfile", str(tmp_path / SIGNATURE)]
    done = subprocess.run(asked, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


def test_an_encrypted_key_opens_by_the_environment_alone(tmp_path: Path) -> None:
    private, public = written(tmp_path, "sealed", PASSPHRASE)
    signer = signer_of(private, {PASSPHRASE_VARIABLE: PASSPHRASE})
    assert verifier_of(public).holds(b"m", signer.sign(b"m"))
    assert repr(signer) == f"Signer({signer.key_hash})"
    for environment, told in (
        ({}, f"encrypted; {PASSPHRASE_VARIABLE} opens it"),
        ({PASSPHRASE_VARIABLE: "wrong"}, f"{PASSPHRASE_VARIABLE} does not open it"),
    ):
        with pytest.raises(UsageError, match=told) as refused:
            signer_of(private, environment)
        assert "wrong" not in str(refused.value)


def test_a_passphrase_in_the_environment_does_not_matter_to_an_open_key(
    keys: Path,
) -> None:
    assert isinstance(signer_of(keys / "ours.pem", {PASSPHRASE_VARIABLE: "x"}), Signer)


def test_what_is_no_key_is_one_line(keys: Path, tmp_path: Path) -> None:
    curve = ec.generate_private_key(ec.SECP256R1())
    files = {
        "empty.pem": b"",
        "text.pem": b"hello",
        "long.pem": b"0" * 70_000,
        "curve.pem": curve.private_bytes(
            PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        ),
        "curve.public.pem": curve.public_key().public_bytes(
            PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        ),
    }
    for name, text in files.items():
        (tmp_path / name).write_bytes(text)
    wrong = [tmp_path / name for name in (*files, "none.pem")]
    read: Callable[[Path], object]
    for read, other in ((signer_of, "ours.public.pem"), (verifier_of, "ours.pem")):
        for path in (*wrong, keys / other):
            with pytest.raises(UsageError) as refused:
                read(path)
            assert str(refused.value).startswith(str(path))
            assert "\n" not in str(refused.value)


def test_without_the_extra_it_is_one_line(
    keys: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "cryptography", None)
    for read, name in ((signer_of, "ours.pem"), (verifier_of, "ours.public.pem")):
        with pytest.raises(UsageError, match=r"pip install 'recon\[sign\]'"):
            read(keys / name)


def test_the_commands_sign_and_prove(
    tmp_path: Path,
    keys: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.delenv("RECON_CONFIG", raising=False)
    history = History(tmp_path / "lake", monkeypatch)
    trade(history)
    (tmp_path / "recon.toml").write_text(
        '[business]\nname = "shop"\ntimezone = "UTC"\n[lake]\npath = "lake"\n'
        '[cash_in]\nwallet_iban = "IR1"\n[reports]\npath = "reports"\n',
        encoding="utf-8",
    )
    config = ["--config", str(tmp_path / "recon.toml")]
    sign = ["--sign", str(keys / "ours.pem")]
    assert run(["close", "--restatements", *sign, *config]) == 2
    assert run(["close", PERIOD, "--sign", str(keys / "none.pem"), *config]) == 2
    assert "Traceback" not in capsys.readouterr().err
    assert run(["close", PERIOD, *sign, *config, "--dry-run"]) == 0
    assert "would be signed by the key" in capsys.readouterr().out
    assert run(["close", PERIOD, *sign, *config, "--json"]) == 0
    closing = json.loads(capsys.readouterr().out)
    key = verifier_of(keys / "ours.public.pem")
    assert closing["signing_key_sha256"] == key.key_hash
    asked = ["verify-pack", closing["pack"], *config, "--key"]
    assert run([*asked, str(keys / "other.public.pem")]) == 1
    shown = capsys.readouterr().out
    assert "was signed for another key" in shown
    assert "was changed" not in shown
    assert run([*asked, str(keys / "ours.public.pem")]) == 0
    shown = capsys.readouterr().out
    assert "signed by the key of" in shown
    assert "proven" in shown
    assert run([*asked, str(keys / "other.public.pem"), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["signed"] is False
