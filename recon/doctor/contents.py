"""What a lake holds that may not be meant so: of its sources, origins and money."""

from collections.abc import Iterator

from recon.doctor import requests
from recon.doctor.findings import LAKE, Finding, ok, problem, warning
from recon.errors import CorruptLake, ExitCode
from recon.lake import Lake
from recon.pull.origin import REMEDY
from recon.pull.runner import strangers
from recon.reconcile.disclosures.uncompared import (
    change_words,
    changes,
    other_words,
    others,
)
from recon.reconcile.disclosures.unlisted import renamed, unlisted, unlisted_words
from recon.reconcile.engines.duckdb import DuckEngine
from recon.reconcile.given import RAW_SCHEMAS
from recon.reconcile.opening import table_of
from recon.reports import earlier
from recon.reports.masking import Masking
from recon.settings import Settings
from recon.times import format_instant
from recon.wording import listed


def findings(lake: Lake, settings: Settings, *, is_whole: bool) -> Iterator[Finding]:
    """Tell of what a lake holds; damage, which is told, hides what needs it alone."""
    for tell in (_sources, _origins, requests.lacking, _balances, _statuses):
        try:
            yield from tell(lake, settings)
        except CorruptLake:
            if is_whole:  # it was, a moment ago
                raise


def _sources(lake: Lake, _: Settings) -> Iterator[Finding]:
    """Tell of sources whose newest pull did not end well."""
    newest = {commit.source: commit for commit in lake.commits(kind="pull")}
    for name, commit in sorted(newest.items()):
        if not commit.complete:
            at = format_instant(commit.committed_at)
            told = f"{name}: the pull of {at} is incomplete: {commit.error}"
            yield warning(LAKE, told, f"recon pull {name}")


def _origins(lake: Lake, settings: Settings) -> Iterator[Finding]:
    """Tell where the next pull would ask another provider, or for another business.

    And where the reports are those of another lake, or of a younger state of this one;
    where this place has nothing at all, no night begins.
    """
    if lost := earlier.lost(settings, lake):
        yield problem(LAKE, lost, earlier.EMPTY_PLACE, ExitCode.USAGE)
    elif strange := earlier.unknown(settings, lake):
        yield warning(LAKE, strange, earlier.REMEDY)
    elif run := earlier.without_run(settings, lake):
        yield warning(LAKE, run, earlier.LOST_RUN)
    for told in strangers(settings, lake):
        yield problem(LAKE, told, REMEDY, ExitCode.USAGE)


def _balances(lake: Lake, settings: Settings) -> Iterator[Finding]:
    """Tell of balances that are not compared: all, or those of another IBAN."""
    wallets = sorted(set(settings.wallet_ibans().values()))
    known = lake.current("balances", ["iban"])["iban"].drop_null().unique().to_pylist()
    found = sorted({iban.replace(" ", "").upper() for iban in known})
    if not all(wallets) or not found:
        return
    if set(wallets).isdisjoint(found):
        told = (
            f"no balance is of cash_in.wallet_iban ({listed(wallets)}), so no "
            f"roll-forward is computed; there are balances of {listed(found)}"
        )
        yield warning(LAKE, told, "correct cash_in.wallet_iban, or the imported file")
        return
    rows = table_of(lake.files("balances"), RAW_SCHEMAS["balances"], lake.key)
    with DuckEngine.open({"balances": rows}, settings, lake.now()) as engine:
        changed, left = changes(engine.query), others(engine.query)
    yield from (ok(LAKE, change_words(each, counts=False)) for each in changed)
    if left:
        yield ok(LAKE, other_words(left))


def _statuses(lake: Lake, settings: Settings) -> Iterator[Finding]:
    """Tell which statuses of deposits are not listed: that may well be right."""
    files = lake.files("deposits")
    if not files:
        return
    rows = table_of(files, RAW_SCHEMAS["deposits"], lake.key)
    with DuckEngine.open({"deposits": rows}, settings, lake.now()) as engine:
        found = unlisted(engine.query)
    if settings.reports.personal_data == "mask":  # whoever wrote it may name people
        found = renamed(found, Masking().text)
    if found:
        yield ok(LAKE, f"{unlisted_words(found)} List those by which money has landed")
