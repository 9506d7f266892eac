"""`recon verify-pack`: prove an audit pack."""

import os
from pathlib import Path

import click

from recon.cli import options
from recon.cli.output import print_json


@click.command("verify-pack")
@click.argument("pack", type=click.Path(path_type=Path))
@click.option(
    "--key",
    "key_file",
    type=click.Path(path_type=Path),
    metavar="PUBLIC.pem",
    help="The pack must be signed by the private half of this Ed25519 key.",
)
@options.config_option
@options.json_option
def command(
    pack: Path, key_file: Path | None, config: str | None, as_json: bool
) -> int:
    """Prove that a PACK is untouched and that its figures come from its inputs.

    Without settings only the pack's own hashes are compared. Exits with 0 when it
    holds, with 1 when something differs, with 2 when the file is no pack.
    """
    from recon.close import verify
    from recon.close.signing import verifier_of
    from recon.errors import ExitCode
    from recon.setting_files import DEFAULT_FILE

    named = config or os.environ.get("RECON_CONFIG") or Path(DEFAULT_FILE).is_file()
    settings = options.settings(config) if named else None
    lake = options.lake(settings) if settings else None
    key = verifier_of(key_file) if key_file else None
    proof = verify(pack, settings, lake, key=key)
    if as_json:
        print_json(proof.as_dict())
    else:
        for note in proof.notes:
            print(f"note: {note}")
        for line in proof.differences:
            print(f"differs: {line}")
        print(f"{pack.name}: period {proof.period}, as of {proof.as_of}")
        if proof.signed:
            print(f"signed by the key of {key_file}")
        print(_verdict(proof.entries, proof.recomputed, holds=proof.holds))
    return int(ExitCode.CLEAN if proof.holds else ExitCode.BREAKS_OPEN)


def _verdict(entries: int, recomputed: int | None, *, holds: bool) -> str:
    if not holds:
        return "NOT PROVEN: see what differs above"
    if recomputed is None:
        return f"untouched: {entries:,} entries have their hashes"
    return (
        f"proven: {entries:,} entries have their hashes, {recomputed:,} files came "
        "again from the lake to the byte"
    )
