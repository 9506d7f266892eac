"""After Tab a shell gets the names that an argument may be, and no others."""

from collections.abc import Sequence

import pytest
from click.shell_completion import ShellComplete

from recon.cli.group import recon, run
from recon.imports.kinds import KINDS
from recon.pull.asked import SOURCES
from recon.pull.runner import ORDER
from recon.reconcile.checks import shipped_checks
from recon.sandbox.history import FAULTS


def completed(words: Sequence[str], begun: str = "") -> list[str]:
    shell = ShellComplete(recon, {}, "recon", "_RECON_COMPLETE")
    return [each.value for each in shell.get_completions(list(words), begun)]


def test_every_source_is_completed_that_a_pull_knows() -> None:
    assert set(completed(["pull"])) == {source.NAME for source in ORDER}
    assert {name for names in SOURCES.values() for name in names} == {
        source.NAME for source in ORDER
    }


def test_a_source_that_is_named_already_is_not_offered_again() -> None:
    assert completed(["pull", "checkouts"], "ch") == []
    assert completed(["pull", "mandates"], "ch") == ["checkouts"]


def test_kinds_of_import_checks_and_faults_are_completed() -> None:
    assert completed(["import"]) == list(KINDS)
    names = [check.name for check in shipped_checks()]
    assert completed(["breaks", "list", "--check"]) == names
    assert completed(["sandbox", "--fault"]) == ["all", *FAULTS]


@pytest.mark.parametrize(
    ("words", "begun", "expected"),
    [
        (["import"], "bo", ["books"]),
        (["import"], "nothing", []),
        (["breaks", "list", "--check"], "wallet_r", ["wallet_rollforward"]),
        (["sandbox", "--fault", "all", "--fault"], "al", []),
    ],
)
def test_only_what_begins_so_is_offered(
    words: list[str], begun: str, expected: list[str]
) -> None:
    assert completed(words, begun) == expected


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("nighly", "'nighly'. Did you mean 'nightly'? (see"),
        ("verify", "'verify'. Did you mean 'verify-pack'? (see"),
        ("settle", "'settle'. (see"),
    ],
)
def test_a_name_that_no_command_has_is_told_with_the_nearest(
    name: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also of commands that are imported only once they are called."""
    assert run([name]) == 2
    said = f"recon: No such command {told} `recon --help`)\n"
    assert capsys.readouterr() == ("", said)
