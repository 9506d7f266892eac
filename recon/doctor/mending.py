"""Bringing damaged files of the lake back, as far as that is wished and can be proven.

Called by the doctor before it tells what is damaged.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from recon.doctor.packed import is_packed, unpack
from recon.doctor.wishes import Wishes
from recon.lake import Lake
from recon.lake.healing import Healing, heal
from recon.lake.health import Damage, Health
from recon.pull.rebuilding import is_rebuildable, rebuild
from recon.scratch import Scratch
from recon.settings import Settings


def mended(
    lake: Lake, settings: Settings, wishes: Wishes, look: Callable[[], Health]
) -> tuple[Health, list[Healing]]:
    """Restore and rebuild what is wished; return how the lake is then, and what became.

    `look` examines the lake.
    """
    health = look()
    healings: list[Healing] = []
    if wishes.restore is not None:
        health, healings = _restored(
            lake, health, look, wishes.restore, dry_run=wishes.dry_run
        )
    if wishes.rebuild or wishes.write_off:  # no closing is given up that a pack has
        back = brought_back(healings)
        lost = [each for each in _reachable(health) if each.path not in back]
        made = list(_unpacked(lake, settings, lost, dry_run=wishes.dry_run))
        if wishes.rebuild:
            made += _rebuilt(lake, settings, lost, dry_run=wishes.dry_run)
        health = look() if any(each.healed for each in made) else health
        healings += made
    return health, healings


def brought_back(healings: Sequence[Healing]) -> set[str]:
    """Return the paths of what was mended, or would be: the lost files, as proven."""
    return {each.damage.path for each in healings if each.proven}


def refused(healings: Sequence[Healing]) -> dict[str, Healing]:
    """Return what did not come back, though it may yet: the system refused a file."""
    back = {each.damage.path for each in healings if each.healed}
    return {
        each.damage.path: each
        for each in healings
        if each.refused and each.damage.path not in back
    }


def unwritten(healings: Sequence[Healing]) -> dict[str, Healing]:
    """Return what a copy has for certain, and that could not be put into its place."""
    return {path: each for path, each in refused(healings).items() if each.proven}


def _restored(
    lake: Lake,
    health: Health,
    look: Callable[[], Health],
    copies: Path,
    *,
    dry_run: bool,
) -> tuple[Health, list[Healing]]:
    """Restore what a copy has; a record that is back may name what is lost, too."""
    healings: list[Healing] = []
    done: set[str] = set()  # once each: a disk may damage it again
    while True:
        lost = [each for each in _reachable(health) if each.path not in done]
        found = heal(lake, lost, copies, dry_run=dry_run)
        healings += found
        healed = {each.damage.path for each in found if each.healed}
        if not healed:
            return health, healings
        done |= healed
        health = look()


def _rebuilt(
    lake: Lake, settings: Settings, damages: Sequence[Damage], *, dry_run: bool
) -> list[Healing]:
    """Rebuild what the lake's own pages tell, and put it in place where proven."""
    rebuildable = [each for each in damages if is_rebuildable(lake, each)]
    with Scratch() as scratch:
        reasons = rebuild(settings, lake, rebuildable, scratch.path)
        origin = "rebuilt from its pages"
        healings = heal(lake, rebuildable, scratch.path, origin=origin, dry_run=dry_run)
    return [
        each
        if each.proven
        else replace(each, told=reasons.get(each.damage.path, each.told))
        for each in healings
    ]


def _unpacked(
    lake: Lake, settings: Settings, damages: Sequence[Damage], *, dry_run: bool
) -> Iterator[Healing]:
    """Make what closings kept again from their packs, in place where proven."""
    for damage in damages:
        if is_packed(lake, damage):
            with Scratch() as scratch:
                reason, is_unread = unpack(settings, lake, damage, scratch.path)
                origin = "made again from its pack"
                (healing,) = heal(
                    lake, [damage], scratch.path, origin=origin, dry_run=dry_run
                )
            if reason:
                healing = replace(healing, told=reason, refused=is_unread)
            yield healing


def _reachable(health: Health) -> list[Damage]:
    """Return the damages that may be mended: what is barred may be whole."""
    return [each for each in health.damages if not each.barred]
