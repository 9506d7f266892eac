"""Hiding people in the text of reports: mobiles, national codes, names, e-mails, cards.

In free text accounts that are not the business's own are hidden, too. Texts come from
customers, banks and checks alike, so each is searched whole, in ASCII, Persian and
Arabic digits, with what people put between them. Identifiers that only look alike
(UUIDs, instants, amounts, IBANs elsewhere) stay as they are.
"""

import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import pyarrow as pa
import pyarrow.compute as pc

from recon.imports.checksums import has_check_digit
from recon.reports.personal_numbers import (
    FOUND,
    LONG,
    SUSPICIOUS,
    UUID,
    accounts_in,
    digits,
    iban,
    numbers_in,
    usual,
)
from recon.reports.results import Results
from recon.reports.tables import text_columns
from recon.reports.texts import changed, having
from recon.settings import Settings

_MOST_NAME_WORDS = 6  # of a first and a last name; a half-space parts words, too
_CARD_SHOWN = (6, 4)  # the bank's prefix and the last digits
_MOBILE_SHOWN = (4, 2)
_NATIONAL_CODE_SHOWN = (0, 2)
_ACCOUNT_SHOWN = (5, 4)  # the check digits, the bank's number and the last digits
_CARDS_BEGIN = frozenset("4569")  # nearly all; of others the check digit must be right
_IDENTIFIERS = frozenset(
    {
        *("break_id", "check", "record_id", "related_id", "reference", "entry_id"),
        *("movement_id", "wallet", "tracking_code", "mandate_id", "iban"),
        *("track_id", "record_ids"),
    }
)

_CODE_SAID = re.compile(r"(?:national[ _-]?code|کد[ \u200c]?ملی)\W*$", re.IGNORECASE)
_LIKE_A_CODE = re.compile(r"0\d{9}")
_WORD = re.compile(r"[^\W\d_]+")
_BETWEEN_WORDS = re.compile(r"[\W_]+")  # of a name
_SPELT = "\u064a\u0649\u0626\u0643\u0623\u0625\u0622\u0624\u0629\u06c0"
_PLAIN = "\u06cc\u06cc\u06cc\u06a9\u0627\u0627\u0627\u0648\u0647\u0647"
_TATWEEL = "\u0640"
_USUAL = "ابپتثجچحخدذرزژسشصضطظعغفقکگلمنوهی"  # letters of most names: plain already
_TO_PLAIN = str.maketrans(_SPELT + _TATWEEL, f"{_PLAIN}\u200c")  # sign for sign
"""Letters that banks and people write for each other, as one: ye, kaf, alef, …"""


@dataclass(frozen=True)
class Masking:
    """Hides personal data in a text; knows the lake's full names and ten-digit codes.

    Names are known by their letters in either order, without what stands between;
    `accounts` are the IBANs, without spaces, that are not the business's own, and
    `amounts` ten-digit figures of the lake, which are no codes though they look so.

    An identifier is searched more carefully than free text: receipts and transaction
    numbers may look like cards and codes, and whoever looks one up needs it whole.
    What the checks wrote is full of amounts: there a code must be more than a number
    whose check digit is right, as that of every eleventh amount is.
    """

    names: frozenset[str] = frozenset()
    codes: frozenset[str] = frozenset()
    accounts: frozenset[str] = frozenset()
    amounts: frozenset[str] = frozenset()

    def text(self, text: str) -> str:
        """Return free text with every trace of a person masked."""
        return self._without_names(_replaced(self._in_text, text))

    def counts(self, found: Mapping[str, int]) -> dict[str, int]:
        """Return counts by free texts, masked; those that look alike then are one."""
        made: Counter[str] = Counter()
        for text, count in found.items():
            made[self.text(text)] += count
        return dict(made)

    def account(self, text: str) -> str:
        """Return the words of a check, masked, with its amounts as they are."""
        return self._without_names(_replaced(self._in_account, text))

    def identifier(self, text: str) -> str:
        """Return an identifier, masked where it is a person's own."""
        return _replaced(self._in_identifier, text)

    def table(self, table: pa.Table) -> pa.Table:
        """Return the table with every text column masked."""
        for name in text_columns(table):
            mask = self.account if name == "detail" else self.text
            if name in _IDENTIFIERS:
                mask = self.identifier
            clean = not self.names or name in _IDENTIFIERS
            among = (SUSPICIOUS, UUID) if clean else ()
            column = changed(table[name], mask, *among)
            at = table.schema.get_field_index(name)
            table = table.set_column(at, table.field(at), column)
        return table

    def _in_text(self, found: re.Match[str]) -> str:
        if found["iban"] and iban(found["iban"]) in self.accounts:
            return _hidden(found[0], *_ACCOUNT_SHOWN)
        code = found["code"]
        is_one = code and " " not in code and not found["unit"]
        if (
            is_one
            and has_check_digit(digits(code))
            and digits(code) not in self.amounts
        ):
            return _hidden(found[0], *_NATIONAL_CODE_SHOWN)
        return self._in_account(found)

    def _in_account(self, found: re.Match[str]) -> str:
        if found["card"] and _is_card(found["card"]):
            return _hidden(found[0], *_CARD_SHOWN)
        if found["code"] and not found["unit"] and _is_no_amount(found):
            return _hidden(found[0], *_NATIONAL_CODE_SHOWN)
        return self._in_identifier(found)

    def _in_identifier(self, found: re.Match[str]) -> str:
        text = found[0]
        if found["email"]:
            return f"{text[0]}***@***"
        if found["mobile"]:
            return _hidden(text, *_MOBILE_SHOWN)
        if found["code"] and digits(found["code"]) in self.codes:
            return _hidden(text, *_NATIONAL_CODE_SHOWN)
        return text

    def _without_names(self, text: str) -> str:
        if not self.names:
            return text
        known = (span for name, span in _runs_of_words(text) if name in self.names)
        hidden, done = [], 0
        for start, end in _merged(known):
            hidden += [text[done:start], _initials(text[start:end])]
            done = end
        return "".join([*hidden, text[done:]])


def masking(
    result: Results, settings: Settings, tables: Iterable[pa.Table]
) -> Masking | None:
    """Return what hides people in these tables, or None where personal data is kept.

    Names, national codes and mobiles without their 0 are recognised by asking the lake
    which of the texts' words and digits are a customer's. Words are looked for once in
    all texts that differ by their digits alone, as most of what a check writes does.
    """
    if settings.reports.personal_data == "keep":
        return None
    names: set[str] = set()
    codes: set[str] = set()
    accounts: set[str] = set()
    for table in tables:
        for column in text_columns(table):
            texts = table[column].unique().drop_null()
            for text in texts.filter(having(texts, LONG, UUID)).to_pylist():
                codes.update(numbers_in(text))
            if column not in _IDENTIFIERS:
                for text in texts.to_pylist():
                    accounts.update(accounts_in(text))
                alike = pc.replace_substring_regex(texts, "[0-9]+", "0")
                for text in alike.unique().to_pylist():
                    names.update(name for name, _ in _runs_of_words(text))
    own = {iban(each) for each in settings.wallet_ibans().values()}
    asked = accounts - own
    return Masking(
        frozenset(_known(result, _NAMES, names)),
        frozenset(_known(result, _CODES, codes)),
        frozenset(asked.difference(_known(result, _ACCOUNTS, asked))),
    )


def masking_of_texts(
    result: Results, settings: Settings, texts: Iterable[str]
) -> Masking | None:
    """Return what hides people in stored answers and files, or None as `masking` does.

    Which ten-digit numbers are figures of imported files is known, too: the check digit
    of every eleventh is right by chance, and a file of balances is full of them.
    """
    table = pa.table({"text": pa.array(texts, pa.string())})
    mask = masking(result, settings, [table])
    if mask is None:
        return None
    long = table.filter(pc.match_substring_regex(table["text"], LONG))["text"]
    asked = {number for text in long.to_pylist() for number in numbers_in(text)}
    return replace(mask, amounts=frozenset(_known(result, _AMOUNTS, asked)))


def _replaced(mask: Callable[[re.Match[str]], str], text: str) -> str:
    """Return a text with what is found in it masked, and all else to the letter."""
    parts, done = [], 0
    for found in FOUND.finditer(usual(text)):
        if (shown := mask(found)) != found[0]:
            own = text[found.start() : found.end()]
            parts += [text[done : found.start()], _as_written(own, shown)]
            done = found.end()
    return "".join([*parts, text[done:]]) if parts else text


def _as_written(own: str, shown: str) -> str:
    """Return what is shown of a text with the signs that the text itself has."""
    if len(own) != len(shown):  # an address of e-mail
        return shown
    return "".join(
        "*" if sign == "*" else its for sign, its in zip(shown, own, strict=True)
    )


_NAMES = rf"""
select
    case
        when regexp_matches(name, '[^{_USUAL}]')
        then lower(translate(regexp_replace(name, '[^\p{{L}}]+', '', 'g'),
            '{_SPELT}{_TATWEEL}', '{_PLAIN}'))
        else name
    end as found
from (
    select unnest([first_name || last_name, last_name || first_name]) as name
    from (
        select
            replace(customer_first_name, ' ', '') as first_name,
            replace(customer_last_name, ' ', '') as last_name,
        from raw_checkouts
        union all
        select
            replace(first_name, ' ', '') as first_name,
            replace(last_name, ' ', '') as last_name,
        from raw_customers
    ) as named
    where first_name <> '' and last_name <> ''
) as either_way
"""
_CODES = """
select customer_national_code as found from raw_checkouts
union all select national_code as found from raw_customers
union all select buyer_national_code as found from raw_agreements
union all select seller_national_code as found from raw_agreements
union all select substr(customer_mobile, 2) as found from raw_checkouts
union all select substr(mobile, 2) as found from raw_customers
union all select substr(buyer_mobile, 2) as found from raw_agreements
union all select substr(seller_mobile, 2) as found from raw_agreements
"""
"""Ten digits of a person: a national code, or a mobile that lost its 0 in a sheet."""


_ACCOUNTS = """
select upper(replace(iban, ' ', '')) as found from raw_accounts
union all select upper(replace(iban, ' ', '')) as found from raw_balances
union all select upper(replace(iban, ' ', '')) as found from raw_deposits
union all select upper(replace(iban, ' ', '')) as found from raw_bank_statement
"""
"""The business's own IBANs: its wallets, and the accounts that it pays from."""
_AMOUNTS = """
select cast(abs(rials) as varchar) as found
from (
    select balance as rials from raw_balances
    union all select available_balance from raw_balances
    union all select amount from raw_bank_statement
    union all select balance from raw_bank_balances
    union all select amount from raw_adjustments
    union all select amount from raw_deposits
    union all select requested_amount from raw_deposits
    union all select amount from raw_books
) as figures
"""


def _known(result: Results, query: str, asked: set[str]) -> Iterable[str]:
    """Ask once, however many there are: a lake's people are many, too."""
    if not asked:
        return []
    answer = result.sql(
        f"select distinct found from ({query}) as people "
        "where found in (select unnest($asked))",
        asked=sorted(asked),
    )
    found: list[str] = answer["found"].to_pylist()
    return found


def _runs_of_words(text: str) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield the letters of every two to six neighbouring words, and where they stand.

    Letters are small and plain ones, as `_NAMES` has them: banks often write capitals
    and Arabic ones. Whatever is no digit may stand between words: people write
    half-spaces, vowels, commas, hyphens.
    """
    text = text.translate(_TO_PLAIN)
    found = list(_WORD.finditer(text))
    for first, start in enumerate(found):
        letters = start[0].lower()
        for before, word in itertools.pairwise(found[first : first + _MOST_NAME_WORDS]):
            if not _BETWEEN_WORDS.fullmatch(text, before.end(), word.start()):
                break
            letters += word[0].lower()
            yield letters, (start.start(), word.end())


def _merged(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return places by their beginning; those that overlap are one."""
    found: list[tuple[int, int]] = []
    for start, end in spans:
        overlaps = bool(found) and start < found[-1][1]
        first, last = found.pop() if overlaps else (start, end)
        found.append((first, max(last, end)))
    return found


def _initials(name: str) -> str:
    """Return the first letter of each of a name's words."""
    initials = (_WORD.search(word) for word in name.split())
    return " ".join(f"{first[0][0]}***" for first in initials if first)


def _is_no_amount(found: re.Match[str]) -> bool:
    """Tell whether ten digits are said to be a national code, or begin like none."""
    said = _CODE_SAID.search(found.string[: found.start()])
    is_parted = " " in found["code"] or "-" in found["code"]
    is_like_one = not is_parted and _LIKE_A_CODE.match(digits(found["code"]))
    return bool(said) or bool(is_like_one)


def _hidden(text: str, shown_before: int, shown_after: int) -> str:
    """Replace the digits in the middle by `*`; separators stay."""
    places = [place for place, sign in enumerate(text) if sign.isdigit()]
    hidden = set(places[shown_before : len(places) - shown_after])
    return "".join("*" if place in hidden else sign for place, sign in enumerate(text))


def _is_card(found: str) -> bool:
    """Tell whether 16 digits begin as cards do, or carry the check digit of one."""
    numbers = [*map(int, digits(found))]
    doubled = (sum(divmod(2 * number, 10)) for number in numbers[::2])
    is_right = (sum(doubled) + sum(numbers[1::2])) % 10 == 0
    return str(numbers[0]) in _CARDS_BEGIN or is_right
