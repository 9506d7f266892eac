"""Proving a pack: that it is untouched, and that its figures come from their inputs."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from recon import __version__
from recon.close.closing import closings
from recon.close.contents import (
    FORMAT,
    INPUTS,
    QUERIES,
    SETTINGS,
    contents,
    queries,
    settings_of,
)
from recon.close.packs import MANIFEST, Pack, file_hash
from recon.close.periods import ClosingPeriod, parse
from recon.close.signing import KEY_HASH, SIGNATURE, Verifier
from recon.errors import CorruptLake, ReconError, UsageError
from recon.lake import Lake
from recon.reconcile.run import counted_commits, reconcile
from recon.settings import Settings
from recon.times import parse_instant, zone

_MAX_TOLD = 20
_NOT_COMPARED = (INPUTS, SETTINGS, f"{QUERIES}/")


class _InputFile(msgspec.Struct):
    path: str
    sha256: str


class _Input(msgspec.Struct):
    """What is compared of a commit in `inputs.json`."""

    id: str
    files: list[_InputFile]


@dataclass
class Proof:
    """What was proven of a pack. `differences` are empty where it holds.

    `entries` is how many hashes were compared, `recomputed` how many files came again
    to the byte (None where no lake was asked), `signed` whether a key was given and
    the manifest is signed by it. `notes` say what is worth knowing and
    is no difference.
    """

    pack: Path
    period: str
    as_of: str
    entries: int = 0
    recomputed: int | None = None
    signed: bool = False
    differences: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def holds(self) -> bool:
        """Tell whether nothing differs."""
        return not self.differences

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {
            "pack": str(self.pack),
            "period": self.period,
            "as_of": self.as_of,
            "holds": self.holds,
            "entries": self.entries,
            "recomputed": self.recomputed,
            "signed": self.signed,
            "differences": self.differences,
            "notes": self.notes,
        }


def verify(
    path: Path,
    settings: Settings | None,
    lake: Lake | None,
    *,
    key: Verifier | None = None,
) -> Proof:
    """Prove a pack; without settings and a lake, its hashes only.

    With a `key` its manifest must be signed by that key's private one.
    Its figures are made again with its own settings, as of its T, by the queries that
    are installed here. Raises UsageError where the file is no pack.
    """
    with Pack(path, FORMAT) as pack:
        said = _said(pack)
        proof = Proof(path, said["period"], said["as_of"])
        proof.differences += pack.differences()
        proof.differences += _signature_differences(pack, key)
        proof.signed = key is not None and not proof.differences
        if key is None and pack.signature is not None:
            proof.notes.append(
                "its signature was not checked: give the signer's public key with --key"
            )
        proof.entries = len(pack.manifest["entries"])
        if settings is None or lake is None:
            proof.notes.append(
                "only the pack's own hashes were compared: no settings name a lake"
            )
        elif proof.differences:
            proof.notes.append(
                "its figures were not made again: the pack itself was changed"
            )
        else:
            _hold_against(lake, settings, pack, proof)
        return proof


def _signature_differences(pack: Pack, key: Verifier | None) -> list[str]:
    """Say what is wrong with a signature, or that one is asked for and absent."""
    signature, said = pack.signature, pack.manifest.get(KEY_HASH)
    if signature is None:
        if said is not None:
            return [f"{SIGNATURE}: the manifest says that it is signed; it is not"]
        return [f"{SIGNATURE}: the pack is not signed"] if key else []
    if key is None:
        return []
    if said != key.key_hash:
        return [f"{SIGNATURE}: the manifest was signed for another key ({said})"]
    if not key.holds(pack.read(MANIFEST), signature):
        return [f"{SIGNATURE}: it is not the key's signature of this {MANIFEST}"]
    return []


def _said(pack: Pack) -> dict[str, str]:
    names = ("period", "first", "last", "as_of", "run_id")
    said = {name: pack.manifest.get(name) for name in names}
    if not all(isinstance(text, str) for text in said.values()):
        raise UsageError(f"{pack.path} is no pack: its manifest names no period")
    return {name: str(text) for name, text in said.items()}


def _hold_against(lake: Lake, settings: Settings, pack: Pack, proof: Proof) -> None:
    """Compare a pack with the lake's closing, its inputs and its figures made again."""
    proof.differences += _closing_differences(lake, pack)
    try:
        as_of = parse_instant(proof.as_of, zone("UTC"))
        said = _said(pack)
        period = parse(f"{said['first']}..{said['last']}")
        period = ClosingPeriod(said["period"], period.first, period.last)
        own = settings_of(json.loads(pack.read(SETTINGS)), settings)
    except (ValueError, TypeError, KeyError, AttributeError, ReconError) as error:
        proof.differences.append(f"the pack cannot be made again: {error}")
        return
    proof.differences += list(_input_differences(lake, pack, as_of))
    proof.notes += list(_query_notes(pack))
    written_by = pack.manifest.get("recon")
    if written_by != __version__:
        proof.notes.append(f"recon {written_by} wrote it, this is {__version__}")
    try:
        with reconcile(lake, own, as_of=as_of, dry_run=True) as result:
            made = contents(result, own, period)
    except ReconError as error:
        proof.differences.append(f"the figures cannot be made again: {error}")
        return
    listed = {entry["name"] for entry in pack.manifest["entries"]}
    compared = {name for name in made.keys() | listed if _is_figure(name)}
    proof.recomputed = 0
    for name in sorted(compared):
        if name not in listed and written_by != __version__:
            proof.notes.append(f"{name}: it was no part of a pack then")
            continue
        if name not in listed or name not in made:
            where = "pack" if name in made else "figures made again"
            proof.differences.append(f"{name}: it is not in the {where}")
            continue
        told = _difference(name, pack.read(name), made[name])
        proof.recomputed += told is None
        proof.differences += [told] if told else []


def _closing_differences(lake: Lake, pack: Pack) -> list[str]:
    """Say where the lake's own record of the closing is another one's."""
    names = ("first", "last")
    for commit in closings(lake):
        if all(commit.certificate[n] == pack.manifest[n] for n in names):
            if commit.certificate["pack_sha256"] != file_hash(pack.path):
                return ["the file is not the one that was written at the closing"]
            return []
    return ["this lake has no closing of the pack's period"]


def _input_differences(lake: Lake, pack: Pack, as_of: datetime) -> Iterator[str]:
    """Name the inputs that are not in the lake, or are damaged there."""
    known = {commit.id: commit for commit in counted_commits(lake, as_of)}
    try:
        rows = msgspec.json.decode(pack.read(INPUTS), type=list[_Input])
    except msgspec.MsgspecError as error:
        yield f"{INPUTS}: it is no list of inputs: {error}"
        return
    listed = {each.id: each for each in rows}
    for identity in sorted(listed.keys() ^ known.keys()):
        where = "pack" if identity in known else "lake"
        yield f"{INPUTS}: the commit {identity} is not in the {where}"
    for identity in sorted(listed.keys() & known.keys()):
        said = {file.path: file.sha256 for file in listed[identity].files}
        there = {file.path: file.sha256 for file in known[identity].files}
        if said != there:
            yield f"{INPUTS}: the commit {identity} has other files in the lake"
        for file in known[identity].files:
            try:
                lake.file(file)
            except CorruptLake:
                yield f"the lake's file {file.path} is not what was committed"


def _query_notes(pack: Pack) -> Iterator[str]:
    """Name the rules that are other ones here than they were at the closing."""
    own = queries()
    listed = {
        entry["name"]: entry["sha256"]
        for entry in pack.manifest["entries"]
        if entry["name"].startswith(f"{QUERIES}/")
    }
    changed = [
        name
        for name in sorted(own.keys() | listed.keys())
        if name not in own or name not in listed or pack.read(name) != own[name]
    ]
    if changed:
        more = len(changed) - _MAX_TOLD
        told = ", ".join(changed[:_MAX_TOLD])
        yield (
            f"the queries installed here are not those of the closing: {told}"
            + (f" and {more:,} more" if more > 0 else "")
        )


def _is_figure(name: str) -> bool:
    return not name.startswith(_NOT_COMPARED)


def _difference(name: str, packed: bytes, made: bytes) -> str | None:
    """Say where two texts first differ; None where they do not."""
    if packed == made:
        return None
    before, after = packed.splitlines(), made.splitlines()
    for number, (one, other) in enumerate(zip(before, after, strict=False), start=1):
        if one != other:
            return f"{name}: line {number} comes out as another one"
    return f"{name}: it has {len(before):,} lines, made again {len(after):,}"
