"""`recon demo`: one line to see it all."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from recon.cli.options import own_config_option
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
@click.option("--dry-run", is_flag=True, help="Say what would be done; write nothing.")
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
        "findings": [
            {
                "product": each.product,
                "check": each.check,
                "planted": each.planted,
                "found": each.found,
                "besides": each.besides,
            }
            for each in outcome.findings
        ],
        "summary": outcome.night.summary,
        "files": {name: str(path) for name, path in outcome.night.files.items()},
        "exit_code": int(outcome.exit_code),
    }


def _print_outcome(outcome: "DemoOutcome") -> None:
    rows = [
        {
            "product": product,
            "checks": len(group),
            "planted": sum(each.planted for each in group),
            "found": sum(each.found for each in group),
            "besides": sum(each.besides for each in group),
        }
        for product, group in _by_product(outcome.findings).items()
    ]
    print_table(rows, tuple(rows[0]))
    for each in outcome.findings:
        if each.found != each.planted or each.besides:
            print(
                f"{each.product} {each.check}: {each.planted} planted, "
                f"{each.found} found, {each.besides} besides"
            )
    planted = sum(each.planted for each in outcome.findings)
    found = sum(each.found for each in outcome.findings)
    besides = sum(each.besides for each in outcome.findings)
    wallet = outcome.night.summary["wallet"]
    written = next(iter(outcome.night.files.values())).parent.resolve()
    reports = outcome.folder / written.relative_to(outcome.folder.resolve())
    print(f"\nfound {found} of {planted} planted breaks, {besides} besides")
    print(f"wallet     {wallet['closing']:,} rials")
    print(f"of which   {wallet['unexplained']:,} rials are unexplained")
    print(f"reports    {reports}")
    print(f"notebooks  {outcome.folder / 'notebooks'}")
    print(f"look at it: recon lab --config {outcome.folder / 'recon.toml'}")


def _by_product(findings: "list[Finding]") -> "dict[str, list[Finding]]":
    groups: dict[str, list[Finding]] = {}
    for each in findings:
        groups.setdefault(each.product, []).append(each)
    return groups
