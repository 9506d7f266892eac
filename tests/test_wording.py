"""A count agrees with its noun; nobody's text steers the terminal it is shown on."""

import json

import pytest

from recon.cli.output import print_json, print_lines, print_table, say
from recon.cli.voice import complain, opened
from recon.wording import counted, in_one_line, lasting, printable

CLEARS_THE_SCREEN = "\x1b[2Jopen breaks: none"
PERSIAN = "می\u200cخواهم"


@pytest.mark.parametrize(
    ("count", "said"),
    [(0, "0 rows"), (1, "1 row"), (2, "2 rows"), (12_345, "12,345 rows")],
)
def test_a_count_agrees_with_its_noun(count: int, said: str) -> None:
    assert counted(count, "row") == said


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (1, "1 second"),
        (59, "59 seconds"),
        (60, "1 minute"),
        (119, "1 minute"),
        (1_200, "20 minutes"),
        (7_199, "119 minutes"),
        (7_200, "2 hours"),
        (86_399, "23 hours"),
        (1_209_599, "335 hours"),
        (1_209_600, "14 days"),
        (5_781_600, "66 days"),
    ],
)
def test_a_time_is_told_in_what_people_count(seconds: int, said: str) -> None:
    assert lasting(seconds) == said


@pytest.mark.parametrize(
    "sign", ["\x1b", "\x07", "\x08", "\r", "\x7f", "\x9b", "\u202e", "\u2028", "\udc80"]
)
def test_what_steers_a_terminal_is_replaced(sign: str) -> None:
    assert printable(f"a{sign}b") == "a\N{REPLACEMENT CHARACTER}b"


@pytest.mark.parametrize("text", ["two\nlines\tof it", PERSIAN, "\u200e-5", "\u00a0"])
def test_what_a_text_needs_stays(text: str) -> None:
    assert printable(text) == text
    assert in_one_line(PERSIAN) == PERSIAN


@pytest.mark.parametrize("sign", ["\x7f", "\x9b", "\u202e", "\u2028", "\udc80"])
def test_json_says_what_steers_a_terminal_without_a_sign_of_it(
    sign: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = f"a{sign}b\n{PERSIAN}"
    print_json(text)
    with opened("json"):
        say(text)
        complain(text, 2)
    told = capsys.readouterr()
    assert sign not in told.out + told.err
    assert PERSIAN in told.out
    lines = [json.loads(line)["message"] for line in told.err.splitlines()]
    assert [json.loads(told.out), *lines] == [text] * 3


def test_no_way_of_printing_lets_a_text_steer(
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_table([{"detail": CLEARS_THE_SCREEN}], ("detail",))
    print_lines(CLEARS_THE_SCREEN)
    say(CLEARS_THE_SCREEN)
    complain(CLEARS_THE_SCREEN, 2)
    told = capsys.readouterr()
    assert (told.out.count("[2J"), told.err.count("[2J")) == (2, 2)
    assert "\x1b" not in told.out + told.err
