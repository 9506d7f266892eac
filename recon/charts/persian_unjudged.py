"""The Persian of what no check judges, by its English."""

UNJUDGED = {
    "Neither paid nor unpaid for any check, since the contract does not show their "
    "status: {listed}.": (
        "برای هیچ کنترلی نه پرداخت‌شده است و نه پرداخت‌نشده، چون وضعیت آن در مستندات "
        "ارائه‌دهنده نیست: {listed}."
    ),
    "Not known whether they were paid, since the provider refused each one that it "
    "was asked for: {listed}.": (
        "معلوم نیست پرداخت شده باشد، چون ارائه‌دهنده پاسخ به همه پرسش‌ها را رد کرده "
        "است: {listed}."
    ),
    "Paid by the books, and the provider was never asked for them: {listed}.": (
        "طبق دفاتر پرداخت شده و هیچ‌گاه از ارائه‌دهنده پرسیده نشده است: {listed}."
    ),
    "Verified by the answer that the business kept, though the provider says that "
    "their data are wrong: {listed}.": (
        "طبق پاسخ تأیید که کسب‌وکار نگه داشته تأیید شده، ولی ارائه‌دهنده داده‌های آن را "
        "نادرست می‌داند: {listed}."
    ),
    "Told as paid by a receipt that another agreement has, too, so that one of them "
    "may not be paid: {listed}.": (
        "طبق رویداد با رسیدی پرداخت شده که معامله امانی دیگری هم دارد، پس شاید یکی از "
        "آن‌ها پرداخت نشده باشد: {listed}."
    ),
    "Not known how much is left of what was paid, since a payout or a refund does not "
    "tell its amount: {listed}.": (
        "معلوم نیست از آنچه پرداخت شده چقدر مانده است، چون یک پرداخت به فروشنده یا "
        "بازپرداخت مبلغ خود را نمی‌گوید: {listed}."
    ),
    "Finalized and paid out, though less went out than came in (the provider's "
    "commission, or still owed): {listed}.": (
        "نهایی و به فروشنده پرداخت شده، ولی کمتر از آنچه آمده بود بیرون رفته است "
        "(کارمزد ارائه‌دهنده، یا هنوز بدهکار): {listed}."
    ),
    "Not known whether anything is owed of them, since they ended and no event tells "
    "that they were paid: {listed}.": (
        "معلوم نیست بابت آن چیزی بدهکار مانده باشد، چون پایان یافته و هیچ رویدادی از "
        "پرداخت آن خبر نمی‌دهد: {listed}."
    ),
    "Paid more than 90 days ago, and neither finalized nor cancelled to this day: "
    "{listed}.": (
        "بیش از ۹۰ روز پیش پرداخت شده و تا امروز نه نهایی شده و نه لغو: {listed}."
    ),
    "Not held against any balance, since no time tells when it moved the wallet, or "
    "one that cannot be: {listed}.": (
        "با هیچ مانده‌ای تطبیق نشده، چون زمان گردش آن در کیف پول معلوم نیست یا زمانی "
        "ناممکن است: {listed}."
    ),
    "Taken from the wallet by payments or deposits, which should bring money: "
    "{listed}.": (
        "پرداخت‌ها یا واریزهایی که باید پول بیاورند، از کیف پول برداشته‌اند: {listed}."
    ),
    "Not held against any balance, since it was before the wallet's first one: "
    "{listed}.": (
        "با هیچ مانده‌ای تطبیق نشده، چون پیش از نخستین مانده کیف پول بوده است: {listed}."
    ),
    "Not held against any balance so far, since it was after the wallet's last one: "
    "{listed}.": (
        "تا کنون با هیچ مانده‌ای تطبیق نشده، چون پس از آخرین مانده کیف پول بوده است: "
        "{listed}."
    ),
    "Explained by open items, of which so many wait that some fit by chance, so "
    "something else may be behind it, until an import tells which deposits are "
    "settled: {listed}.": (
        "با اقلام باز توضیح داده شده، ولی آن‌قدر قلم باز هست که چند تا از آن‌ها تصادفی "
        "هم جور درمی‌آید؛ تا واردسازی مشخص نکند کدام واریزها تسویه شده‌اند، شاید علت "
        "چیز دیگری باشد: {listed}."
    ),
    "Not found at the bank, and not missed there, since their kind is no settlement "
    "by its name: {listed}.": (
        "در بانک پیدا نشده و مغایرت هم به شمار نیامده، چون نام نوع آن تسویه نیست: "
        "{listed}."
    ),
    "Not looked for at the bank, since they have no IBAN, track_id or time of "
    "request: {listed}.": (
        "در بانک جست‌وجو نشده، چون شبا، track_id یا زمان درخواست ندارد: {listed}."
    ),
    "Not asked whether the provider took them, since checks.provider_names is empty, "
    "or no debit of the account has a word of it: {listed}.": (
        "چون checks.provider_names خالی است یا هیچ برداشتی از آن حساب نامی از آن "
        "ندارد، بررسی نشده که ارائه‌دهنده برداشته باشد: {listed}."
    ),
    "1 debit of the bank, of {amount} rials, without a deposit": (
        "۱ برداشت بانکی بدون واریز به مبلغ {amount} ریال"
    ),
    "{count} debits of the bank that come to {amount} rials, without a deposit": (
        "{count} برداشت بانکی بدون واریز، در مجموع {amount} ریال"
    ),
    "1 checkout with done payments of {amount} rials": (
        "۱ رکورد با پرداخت‌های موفق به مبلغ {amount} ریال"
    ),
    "{count} checkouts with done payments that come to {amount} rials": (
        "{count} رکورد با پرداخت‌های موفق، در مجموع {amount} ریال"
    ),
    "1 payment of {amount} rials": "۱ پرداخت به مبلغ {amount} ریال",
    "{count} payments that come to {amount} rials": (
        "{count} پرداخت، در مجموع {amount} ریال"
    ),
    "1 agreement that holds {amount} rials": (
        "۱ معامله امانی که {amount} ریال در آن مانده است"
    ),
    "{count} agreements that hold {amount} rials": (
        "{count} معامله امانی که {amount} ریال در آن‌ها مانده است"
    ),
    "1 agreement over {amount} rials": "۱ معامله امانی به مبلغ {amount} ریال",
    "{count} agreements over {amount} rials": (
        "{count} معامله امانی، در مجموع {amount} ریال"
    ),
    "1 movement into the wallet, of {amount} rials": (
        "۱ گردش ورودی کیف پول به مبلغ {amount} ریال"
    ),
    "{count} movements into the wallet that come to {amount} rials": (
        "{count} گردش ورودی کیف پول، در مجموع {amount} ریال"
    ),
    "1 movement out of the wallet, of {amount} rials": (
        "۱ گردش خروجی کیف پول به مبلغ {amount} ریال"
    ),
    "{count} movements out of the wallet that come to {amount} rials": (
        "{count} گردش خروجی کیف پول، در مجموع {amount} ریال"
    ),
    "1 interval of the wallet, of {amount} rials": (
        "۱ بازه کیف پول به مبلغ {amount} ریال"
    ),
    "{count} intervals of the wallet that come to {amount} rials": (
        "{count} بازه کیف پول، در مجموع {amount} ریال"
    ),
    "1 gateway token of {amount} rials": "۱ توکن درگاه به مبلغ {amount} ریال",
    "{count} gateway tokens that come to {amount} rials": (
        "{count} توکن درگاه، در مجموع {amount} ریال"
    ),
    "1 hosted checkout of {amount} rials": ("۱ پرداخت یک‌کلیکی به مبلغ {amount} ریال"),
    "{count} hosted checkouts that come to {amount} rials": (
        "{count} پرداخت یک‌کلیکی، در مجموع {amount} ریال"
    ),
    "1 adjustment of {amount} rials": "۱ تعدیل به مبلغ {amount} ریال",
    "{count} adjustments that come to {amount} rials": (
        "{count} تعدیل، در مجموع {amount} ریال"
    ),
    "{item} ({name})": "{item} ({name})",
    "{item} (from {date} on)": "{item} (از {date})",
}
