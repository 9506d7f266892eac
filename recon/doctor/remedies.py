"""What to do about a damaged file of the lake, the surest first."""

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from recon.doctor.writing_off import LOST, can_write_off
from recon.imports.history import Entry, entries, imports_of
from recon.imports.kinds import KINDS
from recon.imports.voiding import SHOWN_DIGITS
from recon.lake import Commit
from recon.lake.health import Damage, Kind
from recon.lake.schema import TABLES
from recon.lake.storage import COMMITS, is_record_name
from recon.reconcile.closed_accounts import ACCOUNTS
from recon.reconcile.restatements import CLOSE
from recon.wording import counted, listed

_FOLDER = (
    "make lake.path readable and writable for this user, on a disk with room, and move "
    "away what is in a file's place"
)
_BUCKET = (
    "see that the bucket is there and that lake.endpoint, lake.region and the "
    "credentials let this user read, write, list and remove in it"
)
_RESTORE = "restore it from a copy of the lake: recon doctor --restore FOLDER"
_OLDER = (
    "; where no copy has it, move this lake away and put the newest whole copy in its "
    "place: each night tells what that lacks"
)
_NOT_NEEDED = "; it is a copy: all versions are read from the files it was made of"
_NOT_WHOLE = "; its rows stay, but their evidence is not whole"
_FURTHER = {
    Kind.COMPACTED: _NOT_NEEDED,
    Kind.SUPERSEDED: _NOT_NEEDED,
    Kind.OUTSTANDING: _NOT_NEEDED,
    Kind.CLEARED: _NOT_NEEDED,
    Kind.PAGES: _NOT_WHOLE,
}
_WRITE_OFF = "; where there is none, recon doctor --write-off gives it up: {}"
_WRITE_OFF_UNREAD = (
    "; where there is none and it can never be read again, move it out of the lake: "
    "then recon doctor --write-off gives it up: {}"
)
_UNREAD = "it may be whole: see that its disk is well, and try again; else "
_CLOSED = ", but for deposits of an account that was closed since: they are told"
_PACKED = "; or recon doctor --rebuild makes it again from {}"
_CLOSING = "; until then no night is reported, for each tells what of it was restated"


def place_remedy(lake_path: str) -> str:
    """Say what to do where the lake's place refuses to be read or written."""
    return _BUCKET if "://" in lake_path else _FOLDER


def remedy(
    damage: Damage,
    commits: Sequence[Commit],
    bad_pages: Mapping[str, str] | None,
    *,
    in_pack: bool,
) -> str:
    """Say what to do.

    `commits` are all, or none where a record is damaged. `bad_pages` has the damaged
    pages by their commit, and is None where a file cannot be rebuilt from its own;
    `in_pack` says that a closing's pack has what is damaged.
    """
    if damage.barred:
        return "let this user read it, or run recon as its owner"
    commit = damage.commit
    first = _UNREAD if damage.unread else ""
    if commit is None:
        return first + _of_record(damage)
    if not damage.sha256:
        return "the bytes are as committed, so a copy will not help; report it"
    further = _further(damage, commit, commits, in_pack)
    if bad_pages is not None:
        pages = bad_pages.get(commit.id)
        if pages is None:
            return first + (
                "its pages are whole: recon doctor --rebuild makes it again from them; "
                f"else {_RESTORE}{further}"
            )
        further = f"; the pages that it was read from are damaged too: {pages}"
    return first + _RESTORE + further


def _of_record(damage: Damage) -> str:
    if damage.repeats:
        return (
            f"it repeats {damage.meant}: move it out of the lake; a record that is "
            "missing then comes back from a copy: recon doctor --restore FOLDER"
        )
    name = PurePosixPath(damage.path).name
    if name != COMMITS and not is_record_name(name):
        if damage.meant:
            return f"it says that it is {damage.meant}: compare them, or name it so"
        return "it is no commit record: move it out of the lake"
    return f"{_RESTORE}{_OLDER}; until then nothing after it is read"


def _further(
    damage: Damage, commit: Commit, commits: Sequence[Commit], in_pack: bool
) -> str:
    if commit.kind == CLOSE:
        pack = commit.certificate.get("pack")
        packed = _PACKED.format(pack) if in_pack else ""
        way = _way_out(damage, commit) if pack else ""
        return packed + way + _CLOSING
    if can_write_off(damage) or (damage.unread and commit.kind in LOST):
        return _way_out(damage, commit)
    if damage.kind is Kind.SEEN:
        return _of_ids(damage, commit, commits)
    told = _FURTHER.get(damage.kind, "")
    if commit.kind == "import":
        told += _of_import(commit, commits)
    return told


def _way_out(damage: Damage, commit: Commit) -> str:
    way = _WRITE_OFF_UNREAD if damage.unread else _WRITE_OFF
    return way.format(LOST[commit.kind])


def _of_ids(damage: Damage, commit: Commit, commits: Sequence[Commit]) -> str:
    if any(
        each.files_of("seen", damage.table)
        for each in commits
        if each.sequence > commit.sequence and each.complete and each.whole
    ):
        closed = _CLOSED if damage.table == ACCOUNTS else ""
        return (
            "; only readings as of an earlier time need it: later pulls made new ones"
            f"{closed}"
        )
    return f"; recon pull {commit.source} --full makes a new one"


def _of_import(commit: Commit, commits: Sequence[Commit]) -> str:
    """Say how an import is made again: alone it would be known, and change nothing.

    Nothing where no file of the business brought it, but deliveries did.
    """
    kind, files = commit.source, entries([commit])
    if not files or not commits:
        return ""
    hashes = {each.sha256: each.sha256[:SHOWN_DIGITS] for each in files}
    names = listed([each.name for each in files])
    keyed = kind in KINDS and TABLES[KINDS[kind].table].key
    later = _later(commit, commits) if keyed else []
    again = sum(bool(hashes.keys() & {each.sha256 for each in of}) for of in later)
    times = f" ({again + 1} times)" if again else ""
    told = (
        f"; or recon import {kind} {' '.join(hashes.values())} --void{times}, then "
        f"import {names} as before"
    )
    count = sum(map(len, later))
    if count:
        told += (
            f", and then once more, in their order, the {counted(count, 'file')} of "
            f'{kind} that came after it (recon sql "select * from imports")'
        )
    return told


def _later(commit: Commit, commits: Sequence[Commit]) -> list[list[Entry]]:
    """Return the files of the later imports of its kind, whose rows count before its.

    Imported again, it would be the newest.
    """
    return [
        files
        for each in imports_of(commits, commit.source)
        if each.sequence > commit.sequence and (files := entries([each]))
    ]
