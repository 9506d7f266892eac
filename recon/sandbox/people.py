"""Invented people and their numbers: names, mobiles, national codes, cards, IBANs.

Everything is drawn from the given `random.Random`, so a seed gives the same people on
every machine. Check digits are right, so that no import warns about them.
"""

import hashlib
from random import Random
from typing import Any
from uuid import UUID

_FIRST_NAMES = (
    "آرش", "آناهیتا", "آیدا", "امید", "بابک", "بهار", "بهرام", "پریسا", "پویا",
    "ترانه", "جهان", "داریوش", "دلارام", "رامین", "روزبه", "رویا", "زهرا", "ژاله",
    "سارا", "سپیده", "سعید", "سیاوش", "شادی", "شهرام", "شیرین", "علی", "فرهاد",
    "فریبا", "کامران", "کاوه", "کیمیا", "گلناز", "لاله", "مریم", "مهدی", "مهسا",
    "مینا", "نادر", "نرگس", "نیما", "هومن", "یاسمن",
)  # fmt: skip
_LAST_NAMES = (
    "آذرنگ", "احمدی", "اسدی", "امینی", "بهرامی", "پارسا", "پاکزاد", "تهرانی", "جعفری",
    "جلالی", "حسینی", "حیدری", "خسروی", "دادگر", "دانشور", "رستمی", "رضایی", "زمانی",
    "ساسانی", "سلیمی", "شریفی", "صادقی", "طاهری", "عباسی", "فرهمند", "قاسمی",
    "کاظمی", "کریمی", "گودرزی", "محمدی", "مرادی", "ملکی", "موسوی", "نادری",
    "نجفی", "نوروزی", "هاشمی", "یزدانی",
)  # fmt: skip
_MOBILE_PREFIXES = ("0901", "0902", "0910", "0912", "0919", "0935", "0990")


def new_uuid(rng: Random) -> str:
    """Return a version 4 UUID drawn from `rng`."""
    return str(UUID(int=rng.getrandbits(128), version=4))


def digits(rng: Random, length: int) -> str:
    """Return that many digits, the first of them not zero."""
    return str(rng.randrange(10 ** (length - 1), 10**length))


def full_name(rng: Random) -> tuple[str, str]:
    """Return a first and a last name in Persian script."""
    return rng.choice(_FIRST_NAMES), rng.choice(_LAST_NAMES)


def mobile(rng: Random) -> str:
    """Return a mobile number in its local form of 11 digits."""
    return rng.choice(_MOBILE_PREFIXES) + f"{rng.randrange(10**7):07d}"


def national_code(rng: Random) -> str:
    """Return ten digits of which the last is the right check digit."""
    body = digits(rng, 9)
    total = sum(int(digit) * (10 - place) for place, digit in enumerate(body))
    rest = total % 11
    return body + str(rest if rest < 2 else 11 - rest)


def iban(rng: Random) -> str:
    """Return an Iranian IBAN with the right two check digits."""
    account = "0" + digits(rng, 21)
    # "IR00" moved behind the account, letters as numbers: I = 18, R = 27.
    check = 98 - int(account + "182700") % 97
    return f"IR{check:02d}{account}"


def card(rng: Random) -> dict[str, str]:
    """Return a masked card number and the SHA-256 hash of the whole number."""
    number = digits(rng, 16)
    return {
        "card_number": f"{number[:6]}******{number[-4:]}",
        "cid": hashlib.sha256(number.encode()).hexdigest().upper(),
    }


def customer(rng: Random) -> dict[str, Any]:
    """Return a customer of unified payment. Source: document 3, Customer."""
    first_name, last_name = full_name(rng)
    number = mobile(rng)
    return {
        "id": new_uuid(rng),
        "mobile": number,
        "first_name": first_name,
        "last_name": last_name,
        "national_code": national_code(rng),
        "email": f"c{number[2:]}@mail.example",
    }
