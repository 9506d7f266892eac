"""`recon webhooks`: the receiver of escrow events, and where the provider sends them.

Subcommands keep the provider's own records of webhooks.
"""

import asyncio
from typing import TYPE_CHECKING, Any

import click

from recon.cli import options
from recon.cli.output import print_json, print_lines, print_table, say

if TYPE_CHECKING:
    from recon.webhooks.registering import Change

_SHOWN = ("id", "url", "is_active", "missing")


@click.group("webhooks", cls=options.Group, invoke_without_command=True)
@click.option("--host", help="Where to listen (webhooks.host, else 127.0.0.1).")
@click.option(
    "--port", type=click.IntRange(0, 65_535), help="webhooks.port, else 8790; 0: any."
)
@options.config_option
@options.dry_run_option
@click.pass_context
def command(
    ctx: click.Context,
    host: str | None,
    port: int | None,
    config: str | None,
    dry_run: bool,
) -> None:
    """Receive escrow events until stopped; each is stored before it is answered.

    An event proves nothing by itself: with an escrow section in the settings, each
    makes its agreement be read again. Subcommands register the receiver's address.
    """
    if ctx.invoked_subcommand is not None:
        options.hand_on(ctx, config, host=host, port=port, dry_run=dry_run)
        return
    from recon.journal import journal_path
    from recon.webhooks.serving import Receiving, bind, is_loopback

    settings = options.settings(config)
    chosen = settings.webhooks
    listener = bind(host or chosen.host, chosen.port if port is None else port)
    receiving = Receiving(settings, listener, say=say)
    if dry_run:
        place = journal_path(settings)
        say(f"would receive events at {receiving.address}/, into {place}")
        listener.close()
        return
    if not is_loopback(listener):
        say("reachable from other machines; a reverse proxy should stand before it")
    receiving.run()
    say("stopped; everything that was answered is stored")


@command.command("register")
@click.option("--url", required=True, help="The https address that reaches it.")
@options.config_option
@options.json_option
@options.dry_run_option
def register(url: str, config: str | None, as_json: bool, dry_run: bool) -> None:
    """Have all thirteen events sent to an https address; make or mend its webhook."""
    from recon.webhooks.registering import register as work

    settings = options.settings(config)
    _print_change(asyncio.run(work(settings, url, dry_run=dry_run)), as_json=as_json)


@command.command("list")
@options.config_option
@options.json_option
def list_webhooks(config: str | None, as_json: bool) -> None:
    """List the webhooks that the provider has, and which events each one misses."""
    from recon.webhooks.registering import list_all

    rows = [each.as_dict() for each in asyncio.run(list_all(options.settings(config)))]
    if as_json:
        print_json(rows)
    elif rows:
        print_table([_legible(row) for row in rows], _SHOWN)
    else:
        print("no webhooks")


@command.command("remove")
@click.argument("webhook_id", required=False)
@click.option("--url", help="All webhooks of this address.")
@options.config_option
@options.json_option
@options.dry_run_option
def remove(
    webhook_id: str | None,
    url: str | None,
    config: str | None,
    as_json: bool,
    dry_run: bool,
) -> None:
    """Remove one webhook by its id, or all of an address."""
    from recon.webhooks.registering import remove as work

    settings = options.settings(config)
    changes = asyncio.run(
        work(settings, webhook_id=webhook_id, url=url, dry_run=dry_run)
    )
    _print_change(changes, as_json=as_json)


def _print_change(changes: "list[Change]", *, as_json: bool) -> None:
    if as_json:
        print_json([change.as_dict() for change in changes])
        return
    for change in changes:
        print_lines(change.line())


def _legible(row: dict[str, Any]) -> dict[str, Any]:
    return row | {"missing": ", ".join(row["missing"]) or "none"}
