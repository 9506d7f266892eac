"""Ed25519 signatures of a pack's manifest, which names every entry by its SHA-256.

The signature stands in the pack as `manifest.json.sig`: the 64 bytes that RFC 8032
describes, over the manifest's bytes as they stand there, so that other tools can check
it, too. A key is read, used and forgotten: neither it nor its passphrase is stored.
"""

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from recon.errors import UsageError

SIGNATURE = "manifest.json.sig"
KEY_HASH = "signing_key_sha256"
"""What a manifest calls the SHA-256 of the public key (DER) that it is signed for."""

PASSPHRASE_VARIABLE = "SIGNING_KEY_PASSPHRASE"  # noqa: S105 - a name, no secret
"""The variable of the environment that opens an encrypted private key."""

_MAX_KEY_BYTES = 64 * 2**10


class Signer:
    """A private key that is ready to sign; it shows as its public key's hash."""

    def __init__(self, key: Any) -> None:
        self._key = key
        self.key_hash = _hash_of(key.public_key())

    def sign(self, manifest: bytes) -> bytes:
        """Return the signature of a manifest's bytes."""
        signature: bytes = self._key.sign(manifest)
        return signature

    def __repr__(self) -> str:
        return f"Signer({self.key_hash})"


def signer_of(path: Path, environment: Mapping[str, str] | None = None) -> Signer:
    """Read a private Ed25519 key (PEM); an encrypted one opens by the environment.

    Raises UsageError where the file cannot be read, is no such key, or does not open.
    """
    environment = os.environ if environment is None else environment
    crypto = _crypto()
    text = _key_text(path)
    passphrase = environment.get(PASSPHRASE_VARIABLE, "")
    is_encrypted = b"ENCRYPTED" in text
    if is_encrypted and not passphrase:
        raise UsageError(
            f"{path}: the key is encrypted; {PASSPHRASE_VARIABLE} opens it"
        )
    try:
        key = crypto.serialization.load_pem_private_key(
            text, passphrase.encode() if is_encrypted else None
        )
    except Exception:  # noqa: BLE001 - of every kind, and its text may tell of the key
        why = (
            f"{PASSPHRASE_VARIABLE} does not open it"
            if is_encrypted
            else "it is no private key in PEM"
        )
        raise UsageError(f"{path}: {why}") from None
    if not isinstance(key, crypto.ed25519.Ed25519PrivateKey):
        raise UsageError(f"{path}: it is no Ed25519 key")
    return Signer(key)


class Verifier:
    """A public key that is ready to check signatures."""

    def __init__(self, key: Any) -> None:
        self._key = key
        self.key_hash = _hash_of(key)

    def holds(self, manifest: bytes, signature: bytes) -> bool:
        """Tell whether a signature is this key's, over these bytes."""
        try:
            self._key.verify(signature, manifest)
        except _crypto().InvalidSignature:
            return False
        return True


def verifier_of(path: Path) -> Verifier:
    """Read a public Ed25519 key (PEM); UsageError where it is none."""
    crypto = _crypto()
    text = _key_text(path)
    try:
        key = crypto.serialization.load_pem_public_key(text)
    except Exception:  # noqa: BLE001 - damaged keys raise of every kind
        raise UsageError(f"{path}: it is no public key in PEM") from None
    if not isinstance(key, crypto.ed25519.Ed25519PublicKey):
        raise UsageError(f"{path}: it is no Ed25519 key")
    return Verifier(key)


class _Crypto:
    """The parts of the extra that are used here."""

    def __init__(self) -> None:
        # An extra: it may be absent, and few commands need it.
        from cryptography import exceptions  # noqa: PLC0415 - as above
        from cryptography.hazmat.primitives import serialization  # noqa: PLC0415
        from cryptography.hazmat.primitives.asymmetric import ed25519  # noqa: PLC0415

        self.InvalidSignature = exceptions.InvalidSignature
        self.serialization = serialization
        self.ed25519 = ed25519


def _crypto() -> _Crypto:
    try:
        return _Crypto()
    except ImportError:
        raise UsageError(
            "signatures need an extra that is not installed: pip install 'recon[sign]'"
        ) from None


def _hash_of(public: Any) -> str:
    serialization = _crypto().serialization
    der = public.public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return hashlib.sha256(der).hexdigest()


def _key_text(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            text = file.read(_MAX_KEY_BYTES + 1)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None
    if len(text) > _MAX_KEY_BYTES:
        raise UsageError(f"{path}: it is too long for a key")
    return text
