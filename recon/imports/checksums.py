"""Checksums of identifiers: a failure is worth a warning, never a refusal.

Source: contract. The provider's own examples fail them, so they prove nothing.
"""

import re
from functools import lru_cache

from recon.imports.spelling import in_ascii

_IBAN = re.compile(r"[A-Z]{2}[0-9]{2}[A-Z0-9]{10,30}")
_IRANIAN_LENGTH = 26
_IRANIAN = re.compile(r"IR\d{24}(?!\d)")
_NATIONAL_CODE = re.compile(r"[0-9]{10}")


def looks_like_iban(text: str) -> bool:
    """Tell whether a text has the form of an IBAN, whatever its checksum."""
    return _IBAN.fullmatch(text) is not None


@lru_cache(maxsize=4096)
def iban_holds(text: str) -> bool:
    """Tell whether an IBAN's length and checksum are right (ISO 13616, mod 97)."""
    if not looks_like_iban(text):
        return False
    if text.startswith("IR") and len(text) != _IRANIAN_LENGTH:
        return False
    turned = text[4:] + text[:4]
    return int("".join(str(int(character, 36)) for character in turned)) % 97 == 1


def ibans_in(text: str) -> list[str]:
    """Return the Iranian IBANs that hold in a text, in whatever spaces and digits."""
    bare = re.sub(r"[\s-]", "", in_ascii(text)).upper()
    return [each for each in _IRANIAN.findall(bare) if iban_holds(each)]


def national_code_holds(text: str) -> bool:
    """Tell whether an Iranian national code's last digit is right (mod 11)."""
    if not _NATIONAL_CODE.fullmatch(text) or len(set(text)) == 1:
        return False
    return has_check_digit(text)


def has_check_digit(code: str) -> bool:
    """Tell whether the last of ten digits is that of a national code (mod 11)."""
    rest = sum(int(digit) * (10 - at) for at, digit in enumerate(code[:9])) % 11
    return int(code[9]) == (rest if rest < 2 else 11 - rest)  # noqa: PLR2004 - rule
