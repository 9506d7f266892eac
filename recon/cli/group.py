"""The frame of all commands: found by name when asked for, errors as one line.

A command is a module of this package with a function `command`; its one-line help
stands here, so that `recon --help` imports none of them.
"""

import gc
import importlib
import os
import sys
import traceback
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from typing import Any

import click

from recon import __version__
from recon.cli import options, process, voice
from recon.errors import CorruptLake, ExitCode, ReconError
from recon.wording import reason_of

COMMANDS = {
    "demo": "See it all: a sandbox, two nights with planted faults, the reports.",
    "init": "Write a commented recon.toml, the folders and the notebooks.",
    "doctor": "Check settings, credentials, reach, clock, disk and lake.",
    "pull": "Fetch from the provider into the lake.",
    "import": "Take files of the business into the lake.",
    "reconcile": "Run the checks over the lake as it was known at an instant.",
    "breaks": "List and show the open differences with their evidence.",
    "report": "Write the reports of a period.",
    "nightly": "Pull, reconcile, report: the whole night, unattended.",
    "close": "Lock a period and write its audit pack.",
    "verify-pack": "Prove that an audit pack is untouched and comes again.",
    "webhooks": "Receive the provider's escrow events.",
    "sandbox": "Run the provider on this machine, with an invented history.",
    "lab": "Open JupyterLab on the notebooks.",
    "sql": "Query the lake's tables and the last results.",
}
_INTERRUPTED = 130
_UNREAD = 141  # as of those whom the signal of a broken pipe ends
_LONGEST = 600  # signs of what a mistake on the command line is told in
_LONGEST_WORD = 400  # signs of a path or of another argument that is told
_NOT_OURS = "let this user read and write it, or run recon as its owner"
_ASK = " (`recon doctor` says what to do)"
_OF_OTHERS = {"lab"}  # another program takes its place, with its own options
_OBJECTS_A_COLLECTION = 20_000


_EPILOG = """\
Exit codes: 0 nothing open at error or above, 1 such breaks are open, 2 a wrong call,
setting or file, 3 incomplete data, 4 another run holds the lock.

Completion of words by the shell: put `eval "$(_RECON_COMPLETE=bash_source recon)"`
into ~/.bashrc; for zsh and fish write zsh_source or fish_source.
"""


class LazyGroup(click.Group):
    """A group that imports a command's module when the command is called."""

    def make_context(self, *given: Any, **named: Any) -> click.Context:
        """Read the command line, and print the help that it asks for."""
        with process.told_of_pipes():
            return super().make_context(*given, **named)

    def invoke(self, ctx: click.Context) -> Any:
        """Call the command."""
        with process.told_of_pipes():
            return super().invoke(ctx)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names in the order of a first day's work."""
        return list(COMMANDS)

    def get_command(
        self,
        ctx: click.Context,  # noqa: ARG002
        cmd_name: str,
    ) -> click.Command | None:
        """Import and return a command; None if there is no such name."""
        if cmd_name not in COMMANDS:
            return None
        if cmd_name not in _OF_OTHERS:
            _spare_threads()
            _spare_imports()
        module = importlib.import_module(f"recon.cli.{_module(cmd_name)}")
        found = module.command
        if not isinstance(found, click.Command):
            raise TypeError(f"{module.__name__}.command is no command")
        return found if cmd_name in _OF_OTHERS else voice.given_to(found)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that a line names; of a name that is none, say what is near.

        click knows the commands of a group only once they are imported.
        """
        name = args[0]
        if name in COMMANDS or name.startswith("-") or ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        from difflib import get_close_matches

        near = get_close_matches(name, COMMANDS, n=1)
        asked = f" Did you mean {near[0]!r}?" if near else ""
        raise click.UsageError(f"No such command {name!r}.{asked}", ctx)

    def format_commands(
        self,
        ctx: click.Context,  # noqa: ARG002
        formatter: click.HelpFormatter,
    ) -> None:
        """List the commands from their one-line helps, importing none."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def _spare_threads() -> None:
    """Keep numpy from starting a thread a core, for algebra that no command does.

    It looks for this as it is imported; what the environment says already stays.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def _spare_imports() -> None:
    """Keep httpx from bringing a command line of its own, with rich and pygments.

    It does without where these are not installed; None says that of a module.
    """
    sys.modules.setdefault("httpx._main", None)  # type: ignore[arg-type]


def _module(command: str) -> str:
    return "import_" if command == "import" else command.replace("-", "_")


@click.group(
    cls=LazyGroup,
    params=voice.options(),
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=_EPILOG,
)
@click.version_option(__version__, prog_name="recon")
@options.config_option
@click.pass_context
def recon(ctx: click.Context, config: str | None) -> None:
    """Reconcile your wallet, payments and books with your payment provider.

    Start with `recon demo`; then `recon init`, fill in recon.toml, `recon nightly`.
    """
    ctx.obj = config


def main(arguments: Sequence[str] | None = None) -> None:
    """Run `recon` and leave with its exit code; a mistake is one line, no traceback.

    Modules are very many objects that stay: they are looked through for unreachable
    cycles more seldom than usual, and hardly as the interpreter ends.
    """
    gc.set_threshold(_OBJECTS_A_COLLECTION)
    process.ready_output()
    code = run(arguments)
    process.leave_interrupts()
    process.end_output()
    if "duckdb" in sys.modules:
        gc.disable()  # to freeze its objects makes it complain of leaks
    else:
        gc.freeze()
    process.leave(code)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run `recon` with arguments (those of the process) and return the exit code.

    Where too little memory was left to tell of what ended it, that is told when all
    that the command held is let go. Left alone it would end the process with 1.
    """
    with (
        suppress(MemoryError),
        process.Interrupts() as interrupts,
        ExitStack() as stack,
    ):
        return _run(arguments, stack, interrupts)
    return _say(process.NO_MORE_MEMORY, ExitCode.USAGE)


def _run(
    arguments: Sequence[str] | None, stack: ExitStack, interrupts: process.Interrupts
) -> int:
    try:
        stack.enter_context(voice.opened(os.environ.get(voice.VARIABLE)))
        done = recon.main(arguments, prog_name="recon", standalone_mode=False)
        sys.stdout.flush()
        return int(done or 0)
    except click.ClickException as error:
        return _say(_one_line(error), ExitCode.USAGE)
    except (click.exceptions.Abort, KeyboardInterrupt):
        return _say("interrupted", _INTERRUPTED)
    except Exception as error:  # noqa: BLE001 - a defect of ours must not look like a verdict
        return _failed(error, interrupts)


def _failed(error: Exception, interrupts: process.Interrupts) -> int:
    """Tell in one line what ended a command; of a defect of ours, where it is."""
    if interrupts.heard():
        return _say("interrupted", _INTERRUPTED)
    is_broken = isinstance(error, (BrokenPipeError, process.PipeBroken))
    if is_broken and process.output_unread():
        return _UNREAD
    if isinstance(error, ReconError):
        hint = _ASK if isinstance(error, CorruptLake) else ""
        return _say(_with_an_end(str(error)) + hint, error.exit_code, error.logged)
    if told := _refused_by_the_system(error):
        return _say(told, ExitCode.USAGE)
    traceback.print_exception(error)
    return _say("this is a defect of recon; nothing is proven", ExitCode.INCOMPLETE)


def _refused_by_the_system(error: Exception) -> str:
    """Say what the system refused, if that is the error; else an empty text."""
    if isinstance(error, OSError) and process.output_failed(error):
        return f"standard output cannot be written: {reason_of(error)}"
    if isinstance(error, PermissionError) and error.filename:
        return f"{error.filename}: {reason_of(error)}: {_NOT_OURS}"
    return process.lacking(error)


def _one_line(error: click.ClickException) -> str:
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        return f"name a command: `{error.ctx.command_path} --help` lists them"
    context = getattr(error, "ctx", None)
    hint = f" (see `{context.command_path} --help`)" if context else ""
    told = " ".join(error.format_message().split())
    if len(told) > _LONGEST:  # it repeats an argument, however long that was
        told = f"{told[:_LONGEST]} …"
    return told + hint


def _with_an_end(line: str) -> str:
    """Return a line that repeats no more of a path or an argument than tells it."""
    return " ".join(
        word if len(word) <= _LONGEST_WORD else f"{word[:_LONGEST_WORD]}…"
        for word in line.split()
    )


def _say(line: str, code: int, logged: str | None = None) -> int:
    voice.complain(" ".join(line.split()), int(code), logged)
    return int(code)
