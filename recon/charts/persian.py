"""The Persian of everything that reports and charts say, by its English.

Words are those of Iranian accountants: تطبیق is reconciliation, مغایرت a break, مانده
a balance, کارمزد a wage, در راه money in transit. A check's own words are in
`check_names`.
"""

from recon.charts.columns import COLUMNS
from recon.charts.persian_bank import BANK
from recon.charts.persian_page import PAGE_PHRASES
from recon.charts.persian_unjudged import UNJUDGED

MONTHS = {
    "jalali": (
        *("فروردین", "اردیبهشت", "خرداد", "تیر", "مرداد", "شهریور"),
        *("مهر", "آبان", "آذر", "دی", "بهمن", "اسفند"),
    ),
    "gregorian": (
        *("ژانویه", "فوریه", "مارس", "آوریل", "مه", "ژوئن"),
        *("ژوئیه", "اوت", "سپتامبر", "اکتبر", "نوامبر", "دسامبر"),
    ),
}

_UNITS = {
    "rials": "ریال",
    "thousand rials": "هزار ریال",
    "million rials": "میلیون ریال",
    "billion rials": "میلیارد ریال",
    "thousand billion rials": "هزار میلیارد ریال",
    "{rials} rials": "{rials} ریال",
    "{rate}   {difference}": "{rate}   {difference}",
    "{rials} in {count}": "{rials} در {count} مورد",
    "day": "روز",
    "week": "هفته",
    "month": "ماه",
    "Sat": "شنبه",
    "Sun": "یکشنبه",
    "Mon": "دوشنبه",
    "Tue": "سه‌شنبه",
    "Wed": "چهارشنبه",
    "Thu": "پنجشنبه",
    "Fri": "جمعه",
    "all others": "بقیه",
    "critical": "بحرانی",
    "error": "خطا",
    "warning": "هشدار",
    "info": "آگاهی",
}

_WALLET = {
    "Wallet: expected and actual balance": "کیف پول: مانده مورد انتظار و مانده واقعی",
    "No two balance snapshots to compare in this period.": (
        "در این دوره دو مانده برای مقایسه در دست نیست."
    ),
    "actual": "واقعی",
    "expected": "مورد انتظار",
    "explained": "توضیح‌دار",
    "unexplained": "بی‌توضیح",
    "not compared": "تطبیق‌نشده",
    "● {odd} of {whole} intervals end with an unexplained rest": (
        "● {odd} بازه از {whole} بازه با مغایرت بی‌توضیح پایان یافته است"
    ),
    "● {odd} of {whole} intervals ends with an unexplained rest": (
        "● {odd} بازه از {whole} بازه با مغایرت بی‌توضیح پایان یافته است"
    ),
    "Difference of each interval, {unit}": "مغایرت هر بازه، {unit}",
    "Wallet from opening to closing": "کیف پول از مانده ابتدا تا مانده پایان دوره",
    "opening": "مانده ابتدا",
    "payments": "پرداخت‌ها",
    "gateway": "درگاه",
    "hosted": "پرداخت یک‌کلیکی",
    "deposits": "واریزها",
    "adjustments": "تعدیل‌ها",
    "closing": "مانده پایان",
}

_FLOWS = {
    "Payments by day and method: {measure}": "پرداخت‌ها به تفکیک روز و روش: {measure}",
    "Payments by week and method: {measure}": (
        "پرداخت‌ها به تفکیک هفته و روش: {measure}"
    ),
    "Payments by month and method: {measure}": (
        "پرداخت‌ها به تفکیک ماه و روش: {measure}"
    ),
    "Payments by day and method": "پرداخت‌ها به تفکیک روز و روش",
    "No certain payments in this period.": "در این دوره پرداخت قطعی نیست.",
    "gross amount": "مبلغ ناخالص",
    "wage": "کارمزد",
    "effect on the wallet": "اثر بر کیف پول",
    "Payments by method: gross amount, its wage, and what reached the wallet": (
        "پرداخت‌ها به تفکیک روش: مبلغ ناخالص، کارمزد، و آنچه به کیف پول رسید"
    ),
    "{amount}   wage {wage}   net {net}   1 payment": (
        "{amount}   کارمزد {wage}   خالص {net}   ۱ پرداخت"
    ),
    "{amount}   wage {wage}   net {net}   {count} payments": (
        "{amount}   کارمزد {wage}   خالص {net}   {count} پرداخت"
    ),
    "Done payments by weekday and hour": "پرداخت‌های موفق به تفکیک روز هفته و ساعت",
    "{title}: {unit} in a week, on average": "{title}: میانگین هفتگی، {unit}",
    "No done payments in this period.": "در این دوره پرداخت موفقی نیست.",
    "hour of the business's clock": "ساعت به وقت کسب‌وکار",
}

_FAILURES = {
    "Failed payments by method and code": "پرداخت‌های ناموفق به تفکیک روش و کد",
    "{title}: count, and share of the method's attempts": (
        "{title}: تعداد، و سهم از تلاش‌های هر روش"
    ),
    "No failed payments in this period.": "در این دوره پرداخت ناموفقی نیست.",
    "No hour of the week with five attempts or more has a failure.": (
        "هیچ ساعتی از هفته با پنج تلاش یا بیشتر، پرداخت ناموفق ندارد."
    ),
    "{count} attempts": "{count} تلاش",
    "{count} attempt": "{count} تلاش",
    "Share of attempts that failed, by day": "سهم تلاش‌های ناموفق، روزانه",
    "The first {name} starts only on {first}.": (
        "{name} نخست تازه از {first} آغاز می‌شود."
    ),
    "The last {name} ends already on {last}.": "{name} پایانی تا {last} بیشتر نیست.",
    "The first {name} starts only on {first}, and the last ends already on {last}.": (
        "{name} نخست تازه از {first} آغاز می‌شود و {name} پایانی تا {last} بیشتر نیست."
    ),
    "Share of attempts that failed, by week": "سهم تلاش‌های ناموفق، هفتگی",
    "Share of attempts that failed, by month": "سهم تلاش‌های ناموفق، ماهانه",
    "Share of attempts that failed": "سهم تلاش‌های ناموفق",
    "No attempts to pay in this period.": "در این دوره تلاشی برای پرداخت نیست.",
    "all methods": "همه روش‌ها",
    "What failed by code": "مبلغ ناموفق به تفکیک کد",
    "Share of failed attempts by weekday and hour": (
        "سهم تلاش‌های ناموفق به تفکیک روز هفته و ساعت"
    ),
    "0 wrong data": "۰ داده نادرست",
    "3 expired": "۳ منقضی",
    "4 failed": "۴ ناموفق",
}

_BREAKS = {
    "Open breaks by check": "مغایرت‌های باز به تفکیک کنترل",
    "Open breaks by check: the loudest {shown} of {whole}": (
        "مغایرت‌های باز به تفکیک کنترل: مهم‌ترین {shown} کنترل از {whole}"
    ),
    "{count} {severity}": "{count} {severity}",
    "Open breaks by age": "مغایرت‌های باز به تفکیک عمر",
    "No break is open in this period.": "در این دوره هیچ مغایرتی باز نیست.",
    "today": "امروز",
    "1 to 2 days": "۱ تا ۲ روز",
    "3 to 6 days": "۳ تا ۶ روز",
    "1 to 4 weeks": "۱ تا ۴ هفته",
    "older": "بیشتر",
}

_FEES = {
    "Effective fee by product and method": "نرخ مؤثر کارمزد به تفکیک محصول و روش",
    "{title}, basis points (1/10,000 of the amount)": (
        "{title}، به واحد پایه (یک ده‌هزارم مبلغ)"
    ),
    "{shown} of {whole} rows: those that differ most, then the newest": (
        "{shown} سطر از {whole}: بیشترین مغایرت‌ها، سپس تازه‌ترین‌ها"
    ),
    "no month": "بدون ماه",
}

_ESCROW = {
    "Held in escrow for others, {unit}, by day": (
        "وجوه امانی نگهداری‌شده، {unit}، روزانه"
    ),
    "Held in escrow for others, {unit}, by week": (
        "وجوه امانی نگهداری‌شده، {unit}، هفتگی"
    ),
    "Held in escrow for others, {unit}, by month": (
        "وجوه امانی نگهداری‌شده، {unit}، ماهانه"
    ),
    "Held in escrow for others": "وجوه امانی نگهداری‌شده",
    "No corroborated escrow payment in this period.": (
        "در این دوره پرداخت امانی تأییدشده‌ای نیست."
    ),
    "What is held now, by days since the buyer paid": (
        "امانت کنونی به تفکیک روزهای گذشته از پرداخت خریدار"
    ),
    "Nothing is known to be held in escrow.": "چیزی که به امانت باشد معلوم نیست.",
    "up to 3 days": "تا ۳ روز",
    "4 to 7 days": "۴ تا ۷ روز",
    "8 to 30 days": "۸ تا ۳۰ روز",
    "31 to 90 days": "۳۱ تا ۹۰ روز",
    "over 90 days": "بیش از ۹۰ روز",
    "more went out than came in": "پرداخت بیش از دریافت",
    "{age}, disputed": "{age}، مورد اختلاف",
}

_MANDATES = {
    "Usable mandates by how much of this month's count is used": (
        "مجوزهای برداشت فعال به تفکیک مصرف سهمیه این ماه"
    ),
    "Mandates by their largest withdrawal against the limit": (
        "مجوزهای برداشت به تفکیک بزرگ‌ترین برداشت نسبت به سقف"
    ),
    "Usable mandates by the week in which they expire": (
        "مجوزهای برداشت فعال به تفکیک هفته انقضا"
    ),
    "No usable mandate has an end.": "هیچ مجوز فعالی تاریخ پایان ندارد.",
    "No such mandate is known.": "چنین مجوزی شناخته نیست.",
    "Share of withdrawals that succeed, by the mandate's age": (
        "سهم برداشت‌های موفق به تفکیک عمر مجوز"
    ),
    "{title} in weeks": "{title} به هفته",
    "{shown} of {whole} mandates: the others end later, or have no end": (
        "{shown} مجوز از {whole}: بقیه دیرتر پایان می‌یابند یا پایانی ندارند"
    ),
    "{shown} of {whole} methods: those with the most withdrawals": (
        "{shown} روش از {whole}: آن‌ها که بیشترین برداشت را دارند"
    ),
    "{shown} of {whole} methods: those with the most attempts": (
        "{shown} روش از {whole}: آن‌ها که بیشترین تلاش را دارند"
    ),
    "No withdrawals on known mandates.": "برداشتی با مجوزهای شناخته نیست.",
    "No week of a mandate's age has three withdrawals or more.": (
        "هیچ هفته‌ای از عمر مجوزها سه برداشت یا بیشتر ندارد."
    ),
    "weeks since the mandate was created": "هفته از صدور مجوز",
    "unused": "مصرف‌نشده",
    "up to half": "تا نیمه",
    "up to 90%": "تا ۹۰٪",
    "nearly all": "نزدیک به سقف",
    "all": "همه",
    "beyond": "بیش از سقف",
}

PHRASES = {
    "{title}, {unit}": "{title}، {unit}",
    **_UNITS,
    **_WALLET,
    **_FLOWS,
    **_FAILURES,
    **_BREAKS,
    **_FEES,
    **_ESCROW,
    **_MANDATES,
    **PAGE_PHRASES,
    **BANK,
    **UNJUDGED,
    **COLUMNS,
}
