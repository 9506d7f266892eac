"""How loudly a command speaks: `--quiet`, `--verbose`, `--log-json`, `RECON_LOG`.

What a command prints on standard output stays as it is; this is about standard error.
With JSON every line of standard error is one object. The options stand before the
command or after it.
"""

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial

import click

from recon.cli.wrapping import wrapped
from recon.wording import escaped, printable

VARIABLE = "RECON_LOG"
_FORMATS = ("text", "json")


class _Voice:
    """What was asked for, and the log that is open for it."""

    def __init__(self) -> None:
        self.quiet = self.verbose = self.as_json = False
        self._open = ExitStack()

    def ask(self, **changed: bool) -> None:
        """Take wishes, and open the log that they mean."""
        vars(self).update(changed)
        self.close()
        if not (self.verbose or self.as_json):
            return
        import logging

        from recon import log

        level = logging.WARNING if self.quiet else logging.INFO
        self._open.enter_context(
            log.shown(sys.stderr, as_json=self.as_json, level=level)
        )

    def close(self) -> None:
        self._open.close()


_voices = [_Voice()]


@contextmanager
def opened(variable: str | None) -> Iterator[None]:
    """Speak as the environment says until a command's options say otherwise."""
    if variable and variable not in _FORMATS:
        raise click.UsageError(f"{VARIABLE}: must be {' or '.join(_FORMATS)}")
    voice = _Voice()
    _voices.append(voice)
    try:
        if variable:
            voice.ask(verbose=True, as_json=variable == "json")
        yield
    finally:
        voice.close()
        _voices.remove(voice)


def is_plain() -> bool:
    """Tell whether progress may be shown: neither silence nor JSON was asked for."""
    return not (_voices[-1].quiet or _voices[-1].as_json)


def may_draw() -> bool:
    """Tell whether a bar may be drawn: on a terminal, where no step is told meanwhile.

    A bar that is drawn anew would tear the lines.
    """
    return is_plain() and not _voices[-1].verbose and sys.stderr.isatty()


def say(line: str) -> None:
    """Print a line of progress to standard error, unless silence was asked for."""
    voice = _voices[-1]
    if voice.quiet:
        return
    if voice.as_json:
        from recon import log

        line = escaped(log.json_line("info", "message", message=line))
    else:
        line = wrapped(printable(line), sys.stderr)
    print(line, file=sys.stderr, flush=True)


def complain(line: str, code: int, logged: str | None = None) -> None:
    """Print why a command ended; silence does not silence this.

    `logged` stands in the log in place of a line that may repeat a text of a file.
    """
    if _voices[-1].as_json:
        from recon import log

        said = {"message": logged or line, "exit_code": code}
        line = escaped(log.json_line("error", "failed", **said))
    else:
        line = wrapped(f"recon: {printable(line)}", sys.stderr)
    print(line, file=sys.stderr)


def options() -> list[click.Option]:
    """Return the options, to be added to a command."""
    told = {
        "quiet": (["-q", "--quiet"], "Leave out progress and notices."),
        "verbose": (["-v", "--verbose"], "Log each step on standard error."),
        "as_json": (["--log-json"], "Log as JSON, one object a line."),
    }
    return [
        click.Option(
            names,
            is_flag=True,
            expose_value=False,
            help=text,
            callback=partial(_ask, wish),
        )
        for wish, (names, text) in told.items()
    ]


def _ask(wish: str, _: click.Context, __: click.Parameter, value: bool) -> None:
    if value:
        _voices[-1].ask(**{wish: True})


def given_to(command: click.Command) -> click.Command:
    """Add the options to a command and its subcommands, where they have none."""
    known = {name for each in command.params for name in each.opts}
    for option in options():
        if not known & {name for name in option.opts if name.startswith("--")}:
            option.opts = [name for name in option.opts if name not in known]
            command.params.append(option)
    if isinstance(command, click.Group):
        for inner in command.commands.values():
            given_to(inner)
    return command
