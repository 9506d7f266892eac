"""`recon close`: freeze a period and write its audit pack."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from recon.cli import options
from recon.cli.output import print_json, print_lines, print_table, say
from recon.wording import counted

if TYPE_CHECKING:
    from recon.close import Closing
    from recon.lake import Lake
    from recon.settings import Settings

_BALANCES = (
    *("wallet", "opening", "moved", "expected_closing", "closing", "difference"),
    *("explained", "unexplained"),
)


@click.command("close")
@click.argument("period", required=False)
@options.config_option
@options.json_option
@click.option(
    "--carry-forward",
    is_flag=True,
    help="Close although errors are open; they go on into the next period.",
)
@click.option("--by", metavar="WHO", help="Who closes (the system's user).")
@click.option(
    "--sign",
    "key_file",
    type=click.Path(path_type=Path),
    metavar="KEY.pem",
    help="Sign the pack with this private Ed25519 key.",
)
@click.option(
    "--restatements",
    is_flag=True,
    help="Write what closed periods say now that they did not at their closing.",
)
@options.dry_run_option
def command(
    period: str | None,
    config: str | None,
    as_json: bool,
    carry_forward: bool,
    by: str | None,
    key_file: Path | None,
    restatements: bool,
    dry_run: bool,
) -> None:
    """Close a PERIOD that has ended, once, and write its audit pack.

    PERIOD is a month (2026-10, or the Jalali 1405-07) or 2026-10-01..2026-10-31. The
    pack goes to closed/ in the folder of the reports. Exits with 1 where breaks of
    error or critical are open in it, with 3 where its data is incomplete. The variable
    SIGNING_KEY_PASSPHRASE opens an encrypted key.
    """
    from recon.close import close
    from recon.close.signing import signer_of
    from recon.errors import UsageError
    from recon.pull.runner import refuse_strangers
    from recon.reports.earlier import refuse_lost

    if restatements == bool(period):
        raise UsageError("name a PERIOD to close, or give --restatements")
    if restatements and key_file:
        raise UsageError("--sign: only the pack of a PERIOD is signed")
    settings = options.settings(config)
    lake = options.lake(settings)
    refuse_lost(settings, lake)
    if restatements or period is None:
        _restatements(settings, lake, as_json=as_json, dry_run=dry_run)
        return
    refuse_strangers(settings, lake)
    closing = close(
        settings,
        lake,
        period,
        by=options.who(by),
        carry_forward=carry_forward,
        signer=signer_of(key_file) if key_file else None,
        dry_run=dry_run,
    )
    if as_json:
        print_json(closing.as_dict())
    else:
        _print_closing(closing, would=dry_run)


def _print_closing(closing: "Closing", *, would: bool) -> None:
    from recon.reconcile.disclosures.uncompared import change_words
    from recon.reconcile.disclosures.unproven import unproven_words
    from recon.times import format_instant

    name = closing.period.name
    print_lines(
        f"{'would close' if would else 'closed'} {name} "
        f"({closing.period.first} to {closing.period.last}) "
        f"as of {format_instant(closing.as_of)}"
    )
    if closing.balances:
        print_table(closing.balances, _BALANCES)
    elif not closing.wallet_changes:
        print_lines("the wallet is not compared: no balance of it is known")
    for each in closing.uncompared:
        print_lines(
            f"{each['wallet']} is not compared from {format_instant(each['from_at'])} "
            f"to {format_instant(each['to_at'])}: no balance is known there, and the "
            "figures follow from what moved"
        )
    for change in closing.wallet_changes:
        print_lines(change_words(change))
    for line in unproven_words(closing.as_dict(), closing.not_run):
        print_lines(line)
    if closing.not_run:
        print_lines(f"not run, by checks.disabled: {', '.join(closing.not_run)}")
    print_lines(f"carried forward: {counted(closing.carried_forward, 'break')}")
    print(f"{'would write' if would else 'audit pack'}: {closing.pack}")
    if not would:
        print(f"sha256: {closing.pack_sha256}")
    if closing.signing_key_sha256:
        verb = "would be signed" if would else "signed"
        print_lines(f"{verb} by the key: {closing.signing_key_sha256}")


def _restatements(
    settings: "Settings", lake: "Lake", *, as_json: bool, dry_run: bool
) -> None:
    from recon.close import restatements
    from recon.close.closing import write_restatements
    from recon.reconcile.restatements import given_up
    from recon.reconcile.run import reconcile
    from recon.reports.restatements import untold

    with reconcile(lake, settings, dry_run=True) as result:
        found = restatements(result)
        lost = untold(given_up(result))
    if not dry_run:
        say(f"written: {write_restatements(found, settings)}")
    if as_json:
        print_json(found.to_pylist())
    elif found.num_rows:
        print_table(found.to_pylist(), found.column_names)
    else:
        other = "other " if lost else ""
        print_lines(f"no {other}closed period says anything else than at its closing")
    for line in lost:
        (say if as_json else print_lines)(line)
