"""`recon demo`: one line to see it all."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from recon.cli.options import dry_run_option, own_config_option
from recon.cli.output import print_json, print_table

if TYPE_CHECKING:
    from recon.demo import DemoOutcome, Finding


@click.command("demo")
@own_config_option
@click.argument(
    "folder", metavar="[DIR]", default="recon-demo", type=click.Path(path_type=Path)
)
@click.option("--seed", type=int, default=1, show_default=True, help="Which history.")
@click.option("--json", "as_json", is_flag=True, help="Print the outcome as JSON.")
@dry_run_option
def command(folder: Path, seed: int, as_json: bool, dry_run: bool) -> int:
    """Run two nights on an invented business with planted faults, in DIR.

    The provider is the sandbox on a free loopback port; the same seed gives the same
    figures. DIR (recon-demo) is made anew each time.
    """
    from recon import demo

    if dry_run:
        demo.refuse(folder)
        told = f"would make {folder} anew and run two nights of seed {seed} in it"
        if as_json:
            print_json({"folder": str(folder), "seed": seed, "dry_run": True})
        else:
            print(told)
        return 0
    from recon.cli.progress import shown_progress

    with shown_progress() as progress:
        outcome = demo.run(folder, seed=seed, progress=progress)
    if as_json:
        print_json(_as_dict(outcome))
    else:
        _print_outcome(outcome)
    return int(outcome.exit_code)


def _as_dict(outcome: "DemoOutcome") -> dict[str, object]:
    return {
        "exact": outcome.exact,
        "findings": [asdict(each) for each in outcome.findings],
        "summary": outcome.night.summary,
        "files": {name: str(path) for name, path in outcome.night.files.items()},
        "exit_code": int(outcome.exit_code),
    }


def _print_outcome(outcome: "DemoOutcome") -> None:
    rows = [
        {"product": product, "checks": len(group), **_sums(group)}
        for product, group in _by_product(outcome.findings).items()
    ]
    print_table(rows, tuple(rows[0]))
    for each in outcome.findings:
        if each.found != each.planted or each.besides:
            print(
                f"{each.product} {each.check}: {each.planted} planted, "
                f"{each.found} found, {each.besides} besides"
            )
    sums = _sums(outcome.findings)
    wallet = outcome.night.summary["wallet"]
    written = next(iter(outcome.night.files.values())).parent.resolve()
    reports = outcome.folder / written.relative_to(outcome.folder.resolve())
    found = f"found {sums['found']} of {sums['planted']} planted breaks"
    print(f"\n{found}, {sums['besides']} besides")
    print(f"wallet     {wallet['closing']:,} rials")
    print(f"of which   {wallet['unexplained']:,} rials are unexplained")
    print(f"reports    {reports}")
    print(f"notebooks  {outcome.folder / 'notebooks'}")
    print(f"look at it: recon lab --config {outcome.folder / 'recon.toml'}")


def _sums(findings: "list[Finding]") -> dict[str, int]:
    return {
        name: sum(getattr(each, name) for each in findings)
        for name in ("planted", "found", "besides")
    }


def _by_product(findings: "list[Finding]") -> "dict[str, list[Finding]]":
    groups: dict[str, list[Finding]] = {}
    for each in findings:
        groups.setdefault(each.product, []).append(each)
    return groups
