"""Proving a pack: that it is untouched, and that its figures come from their inputs."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from recon import __version__
from recon.assets import code_hash
from recon.close.closing import closings
from recon.close.comparing import compare
from recon.close.contents import (
    CODE,
    FORMAT,
    INPUTS,
    QUERIES,
    README,
    SETTINGS,
    contents,
    queries,
    settings_of,
)
from recon.close.packs import MANIFEST, Pack
from recon.close.periods import ClosingPeriod, parse
from recon.close.signing import KEY_HASH, SIGNATURE, Verifier
from recon.errors import CorruptLake, ReconError, UsageError
from recon.lake import Lake
from recon.lake.verifying import file_hash
from recon.lake.voids import standing
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
    (None where no lake was asked), `signed` whether a key was given and the manifest is
    signed by it, `made_by` the version of recon that its manifest names. Where
    `another_build` of recon made the pack, with other code or queries, `otherwise`
    tells the files that come out otherwise by this one: no proof that anybody touched
    them, and none that nobody did. `notes` say what is worth knowing and is no
    difference.
    """

    pack: Path
    period: str
    as_of: str
    made_by: str = ""
    another_build: bool = False
    entries: int = 0
    recomputed: int | None = None
    signed: bool = False
    differences: list[str] = field(default_factory=list)
    otherwise: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def holds(self) -> bool:
        """Tell whether nothing differs, and nothing comes out otherwise."""
        return not self.differences and not self.otherwise

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {
            "pack": str(self.pack),
            "period": self.period,
            "as_of": self.as_of,
            "made_by": self.made_by,
            "another_build": self.another_build,
            "holds": self.holds,
            "entries": self.entries,
            "recomputed": self.recomputed,
            "signed": self.signed,
            "differences": self.differences,
            "otherwise": self.otherwise,
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

    With a `key` its manifest must be signed by that key's private one. Its figures are
    made again with its own settings, as of its T, by the queries that are installed
    here. Raises UsageError where the file is no pack.
    """
    with Pack(path, FORMAT) as pack:
        said = _said(pack)
        made_by = str(pack.manifest.get("recon"))
        proof = Proof(path, said["period"], said["as_of"], made_by)
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
                "its figures were not made again: it is not proven to be the pack that "
                "was written"
            )
        else:
            _hold_against(lake, settings, pack, proof)
        return proof


def _signature_differences(pack: Pack, key: Verifier | None) -> list[str]:
    """Say what is wrong with a signature, or that one is asked for and absent.

    One of a pack whose manifest names no key was put into it.
    """
    signature, said = pack.signature, pack.manifest.get(KEY_HASH)
    if signature is None:
        if said is not None:
            return [f"{SIGNATURE}: the manifest says that it is signed; it is not"]
        return [f"{SIGNATURE}: the pack is not signed"] if key else []
    if said is None:
        return [f"{SIGNATURE}: it is in the pack, and the manifest names no key of it"]
    if key and said != key.key_hash:
        return [f"{SIGNATURE}: the manifest was signed for another key ({said})"]
    if key and not key.holds(pack.read(MANIFEST), signature):
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
    _note_build(pack, proof)
    try:
        with reconcile(lake, own, as_of=as_of, dry_run=True) as result:
            made = contents(result, own, period)
    except ReconError as error:
        proof.differences.append(f"the figures cannot be made again: {error}")
        return
    beside = (*_NOT_COMPARED, README) if proof.another_build else _NOT_COMPARED
    listed = [entry["name"] for entry in pack.manifest["entries"]]
    compared = compare(
        frozenset(name for name in listed if not name.startswith(beside)),
        pack.read,
        {name: made[name] for name in made if not name.startswith(beside)},
        same_rules=not proof.another_build,
    )
    proof.recomputed = compared.recomputed
    proof.notes += compared.notes
    told = proof.otherwise if proof.another_build else proof.differences
    told += compared.differences


def _note_build(pack: Pack, proof: Proof) -> None:
    """Note whether another code, or other queries, than those of here made a pack.

    What the manifest claims decides only how a figure that comes out otherwise is
    told: no pack with one holds.
    """
    notes = list(_query_notes(pack))
    same_code = pack.manifest.get(CODE) == code_hash()
    if proof.made_by != __version__:
        notes.append(f"recon {proof.made_by} wrote it, this is {__version__}")
    elif not same_code:
        notes.append(f"another build of recon {__version__} wrote it")
    proof.another_build = bool(notes)
    proof.notes += notes


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
    """Name the inputs that are not in the lake, or are damaged there.

    What was taken back or written off by then is listed, and nothing reads its files.
    """
    counted = counted_commits(lake, as_of)
    known = {commit.id: commit for commit in counted}
    read = {commit.id for commit in standing(counted)}
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
        for file in known[identity].files if identity in read else ():
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
