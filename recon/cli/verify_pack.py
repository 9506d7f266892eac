"""`recon verify-pack`: prove an audit pack."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from recon import __version__
from recon.cli import options
from recon.cli.output import print_json, print_lines

if TYPE_CHECKING:
    from recon.close import Proof


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
    holds, with 1 when something differs, with 2 when the file is no pack. A pack of
    another version is held against what this one makes of its inputs: what comes out
    otherwise is told apart from what was touched, and exits with 1, too.
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
            print_lines(f"note: {note}")
        for line in proof.differences:
            print_lines(f"differs: {line}")
        for line in proof.otherwise:
            print_lines(f"by this version otherwise: {line}")
        print_lines(f"{pack.name}: period {proof.period}, as of {proof.as_of}")
        if proof.signed:
            print_lines(f"signed by the key of {key_file}")
        print_lines(_verdict(proof))
    return int(ExitCode.CLEAN if proof.holds else ExitCode.BREAKS_OPEN)


def _verdict(proof: "Proof") -> str:
    entries = f"{proof.entries:,} entries have their hashes"
    if proof.differences:
        return "NOT PROVEN: see what differs above"
    if proof.recomputed is None:
        return f"untouched: {entries}"
    if proof.otherwise:
        own = f"; this is another build of {__version__}"
        return (
            f"untouched: {entries}, and the lake has the closing and every input\n"
            f"FIGURES NOT PROVEN by this version: {proof.recomputed:,} files came "
            f"again, {len(proof.otherwise):,} come out otherwise; the recon "
            f"{proof.made_by} that wrote the pack can prove them"
            f"{own if proof.made_by == __version__ else ''}"
        )
    return (
        f"proven: {entries}, {proof.recomputed:,} files came again from the lake "
        f"{'by this version, too' if proof.another_build else 'to the byte'}"
    )
