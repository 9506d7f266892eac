from typing import Any

import pytest

from recon.charts import Look
from recon.cli.verdict import print_summary
from recon.reconcile.checks import shipped_checks
from recon.reports.check_names import PERSIAN
from recon.reports.verdict import in_words

RULES = {check.name: check for check in shipped_checks()}
ENGLISH, FARSI = Look(), Look("jalali", "fa")
NO_WALLET = {"closing": None, "unexplained": None, "unexplained_intervals": 0}
UNREAD: dict[str, Any] = {"sources": {}, "wallet": NO_WALLET}  # files alone, if any
LEVELS = ("critical", "error", "warning", "info")


def summary(**changed: Any) -> dict[str, Any]:
    return {
        "complete": True,
        "sources": {"checkouts": {"complete": True, "error": None}},
        "breaks": {
            "open": {
                "by_severity": dict.fromkeys(LEVELS, 0) | {"critical": 2},
                "by_check": {"record_vanished": 2},
            }
        },
        "wallet": {"closing": 1_000, "unexplained": -7, "unexplained_intervals": 1},
    } | changed


def quiet(**levels: int) -> dict[str, Any]:
    found = dict.fromkeys(LEVELS, 0) | levels
    return {"open": {"by_severity": found, "by_check": {}}}


def test_an_old_source_is_named_with_the_time_of_its_last_pull() -> None:
    """A section that was taken out leaves old figures, which are not today's."""
    at = "2026-10-02T00:00:00Z"
    given = summary(breaks=quiet(), stale={"checkouts": at, "mandates": at})
    found = in_words(given, RULES, {}, ENGLISH)
    told = f"Last read at {at}, and shown as it was then: checkouts, mandates."
    assert found.mood == "warn"
    assert told in found.sentences


@pytest.mark.parametrize("look", [ENGLISH, FARSI])
def test_a_source_that_was_never_read_makes_no_all_clear(look: Look) -> None:
    """After `recon pull checkouts` alone nobody knows of the others."""
    given = summary(breaks=quiet(), never_read=["agreements", "mandates"])
    found = in_words(given, RULES, {}, look)
    assert found.mood == "warn"
    assert look.say("All is well: nothing is open.") != found.headline
    names = look.say(", ").join(["agreements", "mandates"])
    assert look.say("Never read: {listed}.", listed=names) in found.sentences


@pytest.mark.parametrize(
    ("look", "sentence"),
    [
        (ENGLISH, "No two balance snapshots to compare in this period."),
        (FARSI, "در این دوره"),
    ],
)
def test_a_period_without_snapshots_is_no_wallet_without_any(
    look: Look, sentence: str
) -> None:
    whole = in_words(summary(wallet=NO_WALLET), RULES, {}, look)
    period = {"from": "2026-10-02", "to": None}
    found = in_words(summary(wallet=NO_WALLET, period=period), RULES, {}, look)
    assert sentence in str(found)
    assert sentence not in str(whole)


def test_every_check_has_a_persian_name_and_advice() -> None:
    assert PERSIAN.keys() == RULES.keys()
    assert all(name and advice.endswith(".") for name, advice in PERSIAN.values())
    assert len({name for name, _ in PERSIAN.values()}) == len(PERSIAN)


@pytest.mark.parametrize(
    ("given", "english", "persian"),
    [
        (summary(), "2 breaks must", "\u200f۲ مغایرت باید"),
        (summary(breaks=quiet(error=1)), "1 break must", "۱ مغایرت باید"),
        (summary(breaks=quiet(info=1)), "Nothing is wrong", "خطایی نیست"),
        (summary(breaks=quiet()), "All is well", "همه چیز درست است"),
        (
            summary(breaks=quiet(info=1), exit_code=1),  # loud ones of another period
            "Breaks must be looked at, though none of this period.",
            "مغایرت‌هایی باید بررسی شود، ولی هیچ‌یک از این دوره",
        ),
        (
            summary(breaks=quiet(), stale={"checkouts": "2026-10-02T00:00:00Z"}),
            "Nothing is open, but not every source was read of late.",
            "مغایرت باز وجود ندارد، ولی",
        ),
        (summary(complete=False), "Incomplete", "ناقص"),
        (summary(**UNREAD), "2 breaks must", "\u200f۲ مغایرت"),
        (summary(**UNREAD, breaks=quiet()), "Nothing is known yet", "هنوز داده‌ای"),
        (summary(**UNREAD, breaks=quiet(), exit_code=1), "Breaks must", "مغایرت‌هایی"),
        (summary(**UNREAD, breaks=quiet(info=1)), "No source was", "هیچ منبعی"),
    ],
)
def test_the_headline_says_the_same_in_both_languages(
    given: dict[str, Any], english: str, persian: str
) -> None:
    for look, start in ((ENGLISH, english), (FARSI, persian)):
        assert in_words(given, RULES, {}, look).headline.startswith(start)


def test_an_unexplained_rest_is_said_with_its_sign() -> None:
    assert "-7 rials in 1 interval" in str(in_words(summary(), RULES, {}, ENGLISH))
    assert "\u200e-۷ ریال در ۱ بازه" in str(in_words(summary(), RULES, {}, FARSI))


def test_what_runs_from_left_to_right_does_so_in_a_persian_sentence() -> None:
    """Of digits after Persian letters a reader would see the day before the year."""
    at, reason = "2026-10-02T00:00:00Z", "2 of 2 got no answer: GET /x (37971)"
    failed = {"checkouts": {"complete": False, "error": reason}}
    period = {"from": "2026-10-01", "to": None}
    given = summary(sources=failed, stale={"mandates": at}, period=period)
    found = str(in_words(given, RULES, {}, Look("gregorian", "fa")))
    assert f"\u200e{at}" in found
    assert f"\u2068{reason}\u2069" in found
    assert "\u200e۲۰۲۶-۱۰-۰۱" in found
    plain = str(in_words(given, RULES, {}, ENGLISH))
    assert not {"\u200e", "\u2068", "\u2069"}.intersection(plain)


def test_what_was_not_run_is_said_though_all_be_well() -> None:
    left_out = ("wallet_rollforward", "book_duplicate")
    for look, said in ((ENGLISH, "Not run"), (FARSI, "اجرا نشد")):
        found = in_words(summary(breaks=quiet()), RULES, {}, look, left_out)
        (told,) = (line for line in found.sentences if said in line)
        assert told.index("book_duplicate") < told.index("wallet_rollforward")
    assert "Not run" not in str(in_words(summary(), RULES, {}, ENGLISH))


def test_a_step_has_the_checks_persian_name_beside_its_own() -> None:
    (step,) = in_words(summary(), RULES, {}, FARSI).steps
    assert (step.title, step.do) == PERSIAN["record_vanished"]
    assert step.check == "record_vanished"
    (step,) = in_words(summary(), RULES, {}, ENGLISH).steps
    assert (step.title, step.do) == ("", RULES["record_vanished"].do)


def test_a_check_of_ones_own_keeps_the_words_of_its_header() -> None:
    rules = {"my_check": RULES["record_vanished"]}
    found = summary()
    found["breaks"]["open"]["by_check"] = {"my_check": 1}
    (step,) = in_words(found, rules, {}, FARSI).steps
    assert (step.title, step.do) == ("", RULES["record_vanished"].do)


def test_a_notebook_shows_the_persian_verdict_from_the_right() -> None:
    shown = in_words(summary(), RULES, {}, FARSI)._repr_markdown_()
    assert shown.startswith('<div dir="rtl" style="overflow-x: auto">')
    assert "| کنترل | اهمیت | باز | ریال | چه باید کرد |" in shown


MONEY = {
    "by_severity": dict.fromkeys(LEVELS, 0) | {"critical": 5, "error": 1},
    "by_check": {
        "checkout_amount_mismatch": 1,
        "checkout_paid_twice": 1,
        "deposit_outcome_unknown": 1,
        "record_vanished": 2,
        "wage_outside_tariff": 1,
    },
    "rials_by_check": {
        "checkout_amount_mismatch": 7,
        "checkout_paid_twice": 1_490_000,
        "wage_outside_tariff": 9_000_000,
    },
}


def test_of_breaks_as_many_the_most_rials_come_first() -> None:
    """After how loud they are, and how many; without a difference at the end."""
    found = in_words(summary(breaks={"open": MONEY}), RULES, {}, ENGLISH)
    assert [(step.check, step.rials) for step in found.steps] == [
        ("record_vanished", None),
        ("checkout_paid_twice", 1_490_000),
        ("checkout_amount_mismatch", 7),
        ("deposit_outcome_unknown", None),
        ("wage_outside_tariff", 9_000_000),
    ]


@pytest.mark.parametrize(
    ("look", "off", "none", "row"),
    [
        (
            ENGLISH,
            "checkout_paid_twice (1; 1,490,000 rials): ",
            "record_vanished (2): ",
            "| critical | 1 | 1,490,000 | pay",
        ),
        (
            FARSI,
            "checkout_paid_twice (۱؛ ۱٬۴۹۰٬۰۰۰ ریال): ",
            "record_vanished (۲): ",
            "| ۱ | ۱٬۴۹۰٬۰۰۰ | ",
        ),
    ],
)
def test_the_rials_that_a_check_is_off_by_are_told(
    look: Look, off: str, none: str, row: str
) -> None:
    found = in_words(summary(breaks={"open": MONEY}), RULES, {}, look)
    plain = str(found).replace("\u200f", "")
    assert off in plain
    assert none in plain
    assert row in found._repr_markdown_()


def test_the_terminal_tells_the_rials_of_each_check(
    capsys: pytest.CaptureFixture[str],
) -> None:
    run = {"as_of": "2026-03-02T03:00:00Z", "run_id": "r"}
    print_summary(summary(**run, breaks={"open": MONEY}))
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["check", "open", "rials"] in lines
    assert ["checkout_paid_twice", "1", "1,490,000"] in lines
    assert ["record_vanished", "2"] in lines


@pytest.mark.parametrize("look", [ENGLISH, FARSI])
def test_a_notebook_shows_each_sentence_in_a_line_of_its_own(look: Look) -> None:
    """Lines without a mark would be one paragraph there, and stand at the left."""
    checks = {
        "open": summary()["breaks"]["open"] | {"by_check": dict.fromkeys(RULES, 1)}
    }
    found = in_words(
        summary(as_of="2026-03-02T03:00:00Z", breaks=checks), RULES, {}, look
    )
    lines = found._repr_markdown_().splitlines()
    for each in (*found.sentences, *found.known):
        assert f"- {each}" in lines
    assert not [line for line in lines if line and line[0] not in "#-|<"]


def test_two_rests_that_cancel_each_other_are_no_silence_on_the_terminal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    wallet = {"closing": 5, "unexplained": 0, "unexplained_intervals": 2}
    run = {"as_of": "2026-03-02T03:00:00Z", "run_id": "r"}
    print_summary(summary(**run, wallet=wallet))
    assert "unexplained: 0 rials in 2 intervals" in capsys.readouterr().out
    given = summary(**run, wallet=wallet | {"unexplained_gross": 9_000})
    print_summary(given)
    told = "unexplained: 9,000 rials in and out, 0 rials net, in 2 intervals\n"
    assert told in capsys.readouterr().out
    assert "9,000 rials in 2 intervals" in str(in_words(given, RULES, {}, ENGLISH))
    assert "۹٬۰۰۰ ریال ورودی و خروجی" in str(in_words(given, RULES, {}, FARSI))
    print_summary(summary(**run, wallet=wallet | {"unexplained_intervals": 0}))
    assert "unexplained: 0 rials\n" in capsys.readouterr().out


def test_the_terminal_names_the_checks_that_were_not_run(
    capsys: pytest.CaptureFixture[str],
) -> None:
    given = summary(as_of="2026-03-02T03:00:00Z", run_id="r")
    print_summary(given, ("record_vanished", "payment_redirect_stale"))
    told = "not run, by checks.disabled: payment_redirect_stale, record_vanished\n"
    assert told in capsys.readouterr().out
    print_summary(given)
    assert "not run" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("look", "headline", "sentence"),
    [
        (
            ENGLISH,
            "A closed period has",
            "4 figures of closed periods (2026-08, 2026-09)",
        ),
        (FARSI, "ارقام یک دوره بسته‌شده", "۴ رقم از دوره‌های بسته‌شده"),
    ],
)
def test_a_closed_period_with_other_figures_is_never_well(
    look: Look, headline: str, sentence: str
) -> None:
    rest = {"wallet": {"closing": 1, "unexplained": 0, "unexplained_intervals": 0}}
    given = summary(breaks=quiet(), restated={"2026-08": 1, "2026-09": 3}, **rest)
    found = in_words(given, RULES, {}, look)
    assert found.mood == "warn"
    assert found.headline.startswith(headline)
    assert sentence in str(found)


@pytest.mark.parametrize(
    ("look", "orders", "sentence"),
    [
        (ENGLISH, 1, "1 order was paid more than once, 1,500,000 rials beyond what"),
        (ENGLISH, 2, "2 orders were paid more than once, 1,500,000 rials beyond what"),
        (FARSI, 1, "۱ سفارش بیش از یک بار پرداخت شده است، ۱٬۵۰۰٬۰۰۰ ریال بیش از"),
        (FARSI, 2, "۲ سفارش بیش از یک بار پرداخت شده‌اند، ۱٬۵۰۰٬۰۰۰ ریال بیش از"),
    ],
)
def test_orders_that_were_paid_again_are_told(
    look: Look, orders: int, sentence: str
) -> None:
    again = {"orders": orders, "excess": 1_500_000}
    found = summary(breaks=quiet(), duplicate_payments=again)
    verdict = in_words(found, RULES, {}, look)
    assert verdict.mood == "warn"
    told = str(verdict)
    assert sentence in told
    assert "duplicate_payments.csv" in told
    assert "duplicate_payments" not in str(in_words(summary(), RULES, {}, look))


@pytest.mark.parametrize(
    ("look", "count", "sentence"),
    [
        (ENGLISH, 1, "1 settlement of 6,683,000,000 rials left the wallet and never"),
        (ENGLISH, 2, "2 settlements that come to 6,683,000,000 rials left the wallet"),
        (FARSI, 1, "۱ تسویه به مبلغ ۶٬۶۸۳٬۰۰۰٬۰۰۰ ریال از کیف پول خارج شده"),
        (FARSI, 2, "۲ تسویه، در مجموع ۶٬۶۸۳٬۰۰۰٬۰۰۰ ریال، از کیف پول خارج شده"),
    ],
)
def test_settlements_that_never_came_to_the_bank_are_told(
    look: Look, count: int, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    lost = {"settlements": count, "amount": 6_683_000_000}
    found = summary(breaks=quiet(), missing_settlements=lost)
    verdict = in_words(found, RULES, {}, look)
    assert verdict.mood == "warn"
    assert verdict.headline == look.say(
        "No break is open, but money never came to the bank."
    )
    told = str(verdict)
    assert sentence in told
    assert "settlements.csv" not in str(in_words(summary(), RULES, {}, look))
    given = summary(as_of="2026-03-02T03:00:00Z", run_id="r")
    print_summary(given | {"missing_settlements": lost})
    assert "never came to the bank: " in capsys.readouterr().out
    print_summary(given)
    assert "never came to the bank" not in capsys.readouterr().out


def test_the_terminal_tells_of_orders_that_were_paid_again(
    capsys: pytest.CaptureFixture[str],
) -> None:
    given = summary(as_of="2026-03-02T03:00:00Z", run_id="r")
    print_summary(given | {"duplicate_payments": {"orders": 2, "excess": 1_500_000}})
    told = "paid more than once: 2 orders, 1,500,000 rials beyond\n"
    assert told in capsys.readouterr().out
    print_summary(given)
    assert "paid more than once" not in capsys.readouterr().out


UNLISTED = {
    "SETTLED": {"deposits": 3, "amount": 2_000_000},
    "FAILED": {"deposits": 1, "amount": None},
}


@pytest.mark.parametrize(
    ("look", "sentence"),
    [
        (
            ENGLISH,
            "that come to 2,000,000 rials (SETTLED), 1 deposit of an unknown amount",
        ),
        (
            FARSI,
            "۳ واریز، در مجموع \u200f۲٬۰۰۰٬۰۰۰ ریال (SETTLED)، \u200f۱ واریز به مبلغ",
        ),
    ],
)
def test_deposits_of_a_status_that_is_not_listed_are_told_and_alarm_nobody(
    look: Look, sentence: str
) -> None:
    calm = {
        "breaks": quiet(),
        "wallet": {"closing": 1, "unexplained": 0, "unexplained_intervals": 0},
    }
    found = in_words(summary(**calm, unlisted_deposits=UNLISTED), RULES, {}, look)
    without = in_words(summary(**calm), RULES, {}, look)
    assert sentence in str(found)
    assert "settled_statuses" in str(found)
    assert "settled_statuses" not in str(without)
    assert found.mood == without.mood == "good"
    assert (found.headline, found.steps) == (without.headline, without.steps)


def test_the_terminal_tells_of_deposits_of_a_status_that_is_not_listed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    given = summary(as_of="2026-03-02T03:00:00Z", run_id="r")
    print_summary(given | {"unlisted_deposits": UNLISTED})
    told = "status: 3 deposits that come to 2,000,000 rials (SETTLED), 1 deposit"
    assert told in capsys.readouterr().out
    print_summary(given)
    assert "deposit" not in capsys.readouterr().out
