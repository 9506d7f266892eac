"""After Tab a shell gets the names that an argument may be, and no others."""

from collections.abc import Iterator, Sequence

import click
import pytest
from click.shell_completion import ShellComplete

from recon.cli.group import COMMANDS, recon, run
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


def options_of(command: click.Command, path: str) -> Iterator[tuple[str, click.Option]]:
    inner = command.commands if isinstance(command, click.Group) else {}
    for each in command.params:
        if isinstance(each, click.Option):
            yield f"{path} {each.opts[-1]}", each
    for name, further in inner.items():
        yield from options_of(further, f"{path} {name}")


@pytest.mark.parametrize("name", COMMANDS)
def test_each_option_says_what_it_is_for(name: str) -> None:
    """Of a port only its default stood there."""
    command = recon.get_command(click.Context(recon), name)
    assert command is not None
    assert [where for where, each in options_of(command, name) if not each.help] == []
