"""The whole examination: every area in the order in which they depend on each other."""

import asyncio
from collections.abc import Iterator, Mapping
from pathlib import Path

import httpx

from recon.doctor import (
    configuration,
    disk,
    provider,
    requests,
    wholeness,
    workplace,
)
from recon.doctor.findings import LAKE, Diagnosis, Finding, problem
from recon.doctor.remedies import place_remedy
from recon.doctor.wishes import Wishes
from recon.errors import NO_MORE_FILES, ExitCode, ReconError, UsageError, lacks_files
from recon.lake import Lake
from recon.lake.healing import NO_COPY
from recon.lake.health import Watch
from recon.scratch import NO_ROOM
from recon.settings import Settings
from recon.wording import reason_of

_KEY_REMEDY = "set RECON_LAKE__ENCRYPTION_KEY to the key that the lake was begun with"
_COPY_REMEDY = "name the folder of a copy: recon doctor --restore FOLDER"


def examine(
    config: Path | None = None,
    *,
    wishes: Wishes | None = None,
    environment: Mapping[str, str] | None = None,
    transport: httpx.AsyncBaseTransport | None = None,
    watch: Watch | None = None,
) -> Diagnosis:
    """Examine everything that a night needs; asks each product one harmless question.

    `config` is the settings file as given, None for the usual one; `transport`
    replaces the network. Trouble becomes a finding; nothing is raised for it.
    """
    settings, found = configuration.read(config, environment)
    if settings is None:
        return Diagnosis([*found, *workplace.versions()])
    wishes = wishes or Wishes()
    found += asyncio.run(_asked(settings, wishes, transport))
    found += disk.findings(settings)
    found += _lake(settings, wishes, watch)
    found += workplace.notebooks(settings)
    found += workplace.versions(settings)
    return Diagnosis(found)


async def _asked(
    settings: Settings, wishes: Wishes, transport: httpx.AsyncBaseTransport | None
) -> list[Finding]:
    found = provider.skipped(settings)
    found += await provider.findings(settings, transport)
    look = wishes.look_up and not wishes.dry_run
    found += await requests.findings(settings, look=look, transport=transport)
    return found


def _lake(settings: Settings, wishes: Wishes, watch: Watch | None) -> Iterator[Finding]:
    try:
        lake = Lake.of(settings)
        yield from wholeness.findings(lake, settings, wishes, watch=watch)
    except (ReconError, OSError) as error:
        told = str(error)
        if isinstance(error, OSError) and error.filename:
            told = f"{error.filename}: {reason_of(error)}"
        do = place_remedy(settings.lake_path)
        is_setting = isinstance(error, UsageError)
        if "lake.encryption_key" in told:
            do, is_setting = _KEY_REMEDY, True
        if told.endswith(NO_COPY):
            do = _COPY_REMEDY
        if NO_ROOM in told:
            do = disk.TEMPORARY_REMEDY
        if lacks_files(told):
            told, _, do = NO_MORE_FILES.partition(": ")
        code = ExitCode.USAGE if is_setting else ExitCode.INCOMPLETE
        yield problem(LAKE, told, do, code)
