"""The evidence of one break in a folder, as far as the settings let it leave."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from recon.close.packs import manifest_of
from recon.durability import make_folders, sync_folder, write_durably
from recon.errors import UsageError
from recon.reconcile.result import Result
from recon.reconcile.telling import tell
from recon.reports.disclosure import Disclosure, stored_bodies
from recon.settings import Settings

FORMAT = "recon evidence pack"


def write_pack(
    result: Result,
    settings: Settings,
    found: Mapping[str, Any],
    folder: Path,
) -> dict[str, Path]:
    """Write the evidence of one break as a new folder; returns its files by name.

    `evidence.json`, `explanation.txt`, `query.sql`, the stored bodies, and
    `manifest.json` with the SHA-256 of each. Bodies are masked like the rest, unless
    personal data is kept; a body that is no text is then left out and named. Raises
    UsageError where the folder is not empty or cannot be written.
    """
    disclosure = Disclosure(result, settings, found)
    shown = disclosure.evidence(found)
    masked = {**found, "records": shown["records"]}
    told = disclosure.words(tell(result, masked).lines)
    files = {"explanation.txt": ("\n".join(told) + "\n").encode()}
    if "query" in found:
        files["query.sql"] = found["query"]["sql"].encode()
    for page, (name, stored) in zip(
        shown["pages"], stored_bodies(result, found), strict=True
    ):
        body = disclosure.body(stored)
        if body is None:
            page["file"] = None
            page["left_out"] = "it is no text, so people in it cannot be masked"
            continue
        page["file"] = f"bodies/{name}"
        page["masked"] = body != stored
        page["file_sha256"] = hashlib.sha256(body).hexdigest()
        files[page["file"]] = body
    files["evidence.json"] = _json(shown)
    kept = settings.reports.personal_data == "keep"
    manifest = manifest_of(
        files,
        {
            "format": FORMAT,
            "break_id": found["break"]["break_id"],
            "as_of": result.as_of,
            "run_id": result.run_id,
            "personal_data": "kept" if kept else "masked",
        },
    )
    return _place(files | {"manifest.json": manifest}, folder)


def _json(value: Any) -> bytes:
    return (
        json.dumps(value, ensure_ascii=False, indent=2, default=str) + "\n"
    ).encode()


def _place(files: Mapping[str, bytes], folder: Path) -> dict[str, Path]:
    try:
        make_folders(folder)
        if any(folder.iterdir()):
            raise UsageError(f"{folder} is not empty; name a new folder")
        for name, content in files.items():
            path = folder / name
            make_folders(path.parent)
            write_durably(path, content)
        sync_folder(folder)
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {error.strerror}") from None
    return {name: folder / name for name in files}
