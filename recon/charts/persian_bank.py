"""The Persian phrases of what the statements of the bank do not prove."""

BANK = {
    "Not held against the bank, since no statement has those days: {listed}.": (
        "با بانک تطبیق نشده است، چون هیچ صورت‌حسابی این روزها را ندارد: {listed}."
    ),
    "Entries are missing between the bank's statements, as their balances show, and "
    "are compared with nothing: {listed}.": (
        "مانده‌ها نشان می‌دهد که میان صورت‌حساب‌های بانک گردش‌هایی کم است که با چیزی تطبیق "
        "نمی‌شود: {listed}."
    ),
    "Statements of the bank do not add up by their own balances, so entries of them "
    "may be missing or wrong, until a sound file has their days: {listed}.": (
        "صورت‌حساب‌هایی از بانک با مانده‌های خودشان جور نیستند و شاید گردش‌هایی کم یا "
        "نادرست داشته باشند، تا وقتی که فایلی درست برای همان روزها وارد شود: {listed}."
    ),
    "Statements of the bank contradict each other by their balances, and the entries "
    "of both count, until the wrong one is taken back: {listed}.": (
        "مانده‌های صورت‌حساب‌هایی از بانک با یکدیگر نمی‌خوانند و گردش‌های هر دو به حساب "
        "می‌آید، تا وقتی که فایل نادرست پس گرفته شود: {listed}."
    ),
    "net debits of {amount} rials": "خالص برداشت {amount} ریال",
    "net credits of {amount} rials": "خالص واریز {amount} ریال",
    "{iban} from {first} to {last} ({listed})": (
        "{iban} از {first} تا {last} ({listed})"
    ),
    "{iban} on {first} ({listed})": "{iban} در {first} ({listed})",
    "{iban} from {first} to {last}": "{iban} از {first} تا {last}",
    "{iban} on {first}": "{iban} در {first}",
    "1 deposit of {amount} rials": "۱ واریز به مبلغ {amount} ریال",
    "{count} deposits that come to {amount} rials": (
        "{count} واریز، در مجموع {amount} ریال"
    ),
    "1 settlement of {amount} rials": "۱ تسویه به مبلغ {amount} ریال",
    "{count} settlements that come to {amount} rials": (
        "{count} تسویه، در مجموع {amount} ریال"
    ),
}
