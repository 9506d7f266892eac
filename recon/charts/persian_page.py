"""The Persian of the verdict, of report.html and of report.xlsx, by its English."""

_VERDICT = {
    ", ": "، ",
    "none": "هیچ",
    "no reason known": "دلیل آن معلوم نیست",
    "Nothing is known yet: no source was ever read.": (
        "هنوز داده‌ای نیست: هیچ منبعی هرگز خوانده نشده است."
    ),
    "Incomplete: not every source could be read whole.": (
        "ناقص: برخی منابع کامل خوانده نشد."
    ),
    "1 break must be looked at.": "۱ مغایرت باید بررسی شود.",
    "{count} breaks must be looked at.": "{count} مغایرت باید بررسی شود.",
    "Nothing is wrong; a few things wait for a look.": (
        "خطایی نیست؛ چند مورد منتظر بررسی است."
    ),
    "No source was ever read; a few things wait for a look.": (
        "هیچ منبعی هرگز خوانده نشده است؛ چند مورد منتظر بررسی است."
    ),
    "No break is open, but money never came to the bank.": (
        "مغایرت باز وجود ندارد، ولی پولی به بانک نرسیده است."
    ),
    "No break is open, but orders were paid more than once.": (
        "مغایرت باز وجود ندارد، ولی سفارش‌هایی بیش از یک بار پرداخت شده‌اند."
    ),
    "Nothing is open, but not every source was read of late.": (
        "مغایرت باز وجود ندارد، ولی برخی منابع به‌تازگی خوانده نشده‌اند."
    ),
    "Last read at {at}, and shown as it was then: {listed}.": (
        "آخرین بار در {at} خوانده شد و همان‌گونه نشان داده می‌شود: {listed}."
    ),
    "Nothing is open, but not every source was ever read.": (
        "مغایرت باز وجود ندارد، ولی برخی منابع هرگز خوانده نشده‌اند."
    ),
    "Never read: {listed}.": "هرگز خوانده نشده: {listed}.",
    "That balance is of {day} at {time} local time ({instant}).": (
        "این مانده مربوط به {day} ساعت {time} به وقت محلی است ({instant})."
    ),
    "All is well: nothing is open.": "همه چیز درست است: مغایرت باز وجود ندارد.",
    "Breaks must be looked at, though none of this period.": (
        "مغایرت‌هایی باید بررسی شود، ولی هیچ‌یک از این دوره نیست."
    ),
    "A closed period has other figures now.": (
        "ارقام یک دوره بسته‌شده اکنون متفاوت است."
    ),
    "1 figure of closed periods ({periods}) is another one than at the closing: "
    "restatements.csv.": (
        "۱ رقم از دوره‌های بسته‌شده ({periods}) با هنگام بستن متفاوت است: "
        "restatements.csv."
    ),
    "{count} figures of closed periods ({periods}) are other ones than at the closing: "
    "restatements.csv.": (
        "{count} رقم از دوره‌های بسته‌شده ({periods}) با هنگام بستن متفاوت است: "
        "restatements.csv."
    ),
    "1 order was paid more than once, {excess} rials beyond what it costs: "
    "duplicate_payments.csv.": (
        "۱ سفارش بیش از یک بار پرداخت شده است، {excess} ریال بیش از بهای آن: "
        "duplicate_payments.csv."
    ),
    "{count} orders were paid more than once, {excess} rials beyond what they cost: "
    "duplicate_payments.csv.": (
        "{count} سفارش بیش از یک بار پرداخت شده‌اند، {excess} ریال بیش از بهای آن‌ها: "
        "duplicate_payments.csv."
    ),
    "1 settlement of {amount} rials left the wallet and never came to the bank: "
    "settlements.csv.": (
        "۱ تسویه به مبلغ {amount} ریال از کیف پول خارج شده و به بانک نرسیده است: "
        "settlements.csv."
    ),
    "{count} settlements that come to {amount} rials left the wallet and never came to "
    "the bank: settlements.csv.": (
        "{count} تسویه، در مجموع {amount} ریال، از کیف پول خارج شده و به بانک نرسیده "
        "است: settlements.csv."
    ),
    "Count as not landed, since cash_in.settled_statuses does not list their status: "
    "{listed}.": (
        "این واریزها رسیده به شمار نمی‌آیند، چون وضعیتشان در cash_in.settled_statuses "
        "نیامده است: {listed}."
    ),
    "1 deposit of {amount} ({status})": "۱ واریز به مبلغ {amount} ({status})",
    "{count} deposits that come to {amount} ({status})": (
        "{count} واریز، در مجموع {amount} ({status})"
    ),
    "an unknown amount": "نامعلوم",
    "The wallet changed from {old} to {new}: what moved from {from_at} to {to_at} is "
    "not compared{known}.": (
        "کیف پول از {old} به {new} تغییر کرده است: گردش از {from_at} تا {to_at} تطبیق "
        "نمی‌شود{known}."
    ),
    ", and no movement is known of that time": "، و گردشی در آن زمان شناخته نیست",
    ", 1 movement of {amount} rials": "، ۱ گردش به مبلغ {amount} ریال",
    ", {count} movements that come to {amount} rials": (
        "، {count} گردش، در مجموع {amount} ریال"
    ),
    "Not compared, since by cash_in.wallet_iban they are not the wallet's: {listed}. "
    "Where the wallet changed, cash_in.wallet_iban_since says when.": (
        "این مانده‌ها طبق cash_in.wallet_iban از کیف پول نیستند و تطبیق نمی‌شوند: "
        "{listed}. اگر کیف پول تغییر کرده است، cash_in.wallet_iban_since زمان آن را "
        "می‌گوید."
    ),
    "1 balance of {iban}": "۱ مانده {iban}",
    "{count} balances of {iban}": "{count} مانده {iban}",
    "Nothing is open, but not all was compared.": (
        "مغایرت باز وجود ندارد، ولی بخشی از داده‌ها تطبیق نشده است."
    ),
    "Not compared with the books, which reach from {begin} to {end}: {items} "
    "({dates}).": (
        "دفاتر از {begin} تا {end} است و این‌ها با آن تطبیق نشده است: {items} ({dates})."
    ),
    "Not compared with the books, in which no order has a time: {items} ({dates}).": (
        "هیچ سفارش دفاتر زمان ندارد و این‌ها با آن تطبیق نشده است: {items} ({dates})."
    ),
    "Not compared with the bank: no statement covers the account and day of "
    "{items} ({dates}); the statements reach from {begin} to {end}.": (
        "با بانک تطبیق نشده: {items} ({dates})، که هیچ صورت‌حسابی حساب و روز آن را در "
        "بر ندارد؛ صورت‌حساب‌ها از {begin} تا {end} است."
    ),
    "Not compared with the bank: there is no statement of the account of {items} "
    "({dates}).": (
        "با بانک تطبیق نشده: {items} ({dates})، که هیچ صورت‌حسابی از حساب آن در دست "
        "نیست."
    ),
    "Not at the bank so far, and the statements, from {begin} to {end}, do not "
    "cover all days that a settlement may take: {items} ({dates}).": (
        "هنوز در بانک پیدا نشده و صورت‌حساب‌ها، از {begin} تا {end}، همه روزهایی را "
        "که تسویه ممکن است در راه باشد در بر ندارد: {items} ({dates})."
    ),
    "Not compared with the tariff, which has no line for them: {items} ({dates}).": (
        "تعرفه سطری برای این‌ها ندارد و تطبیق نشده است: {items} ({dates})."
    ),
    "1 paid record of {amount} rials": "۱ رکورد پرداخت‌شده به مبلغ {amount} ریال",
    "{count} paid records that come to {amount} rials": (
        "{count} رکورد پرداخت‌شده، در مجموع {amount} ریال"
    ),
    "1 wage of {amount} rials": "۱ کارمزد به مبلغ {amount} ریال",
    "{count} wages that come to {amount} rials": (
        "{count} کارمزد، در مجموع {amount} ریال"
    ),
    "{first} to {last}": "{first} تا {last}",
    "There are none of these yet, so nothing is compared with them: {listed}.": (
        "این‌ها هنوز در دست نیست، پس چیزی با آن‌ها تطبیق نمی‌شود: {listed}."
    ),
    "the books": "دفاتر",
    "statements of the bank": "صورت‌حساب بانک",
    "the tariff": "تعرفه",
    "escrow events": "رویدادهای معاملات امانی",
    "gateway tokens": "توکن‌های درگاه",
    "ids of hosted checkouts": "شناسه‌های پرداخت یک‌کلیکی",
    "Open breaks: {listed}.": "مغایرت‌های باز: {listed}.",
    "Decided upon, and found still: {listed}.": (
        "درباره این‌ها تصمیم گرفته شده و هنوز پیدا می‌شوند: {listed}."
    ),
    "Decided upon, and found still: {listed}; {rials} rials.": (
        "درباره این‌ها تصمیم گرفته شده و هنوز پیدا می‌شوند: {listed}؛ {rials} ریال."
    ),
    "{count} {status}": "{count} {status}",
    "acknowledged": "پذیرفته‌شده",
    "resolved": "حل‌شده",
    "Not run, by checks.disabled: {listed}.": (
        "طبق checks.disabled اجرا نشد: {listed}."
    ),
    "There are no two balance snapshots yet to compare the wallet by.": (
        "هنوز دو مانده برای تطبیق کیف پول در دست نیست."
    ),
    "The wallet holds {closing} rials; nothing of it is unexplained.": (
        "مانده کیف پول {closing} ریال است و مغایرت بی‌توضیح ندارد."
    ),
    "The wallet holds {closing} rials; {rest} rials in 1 interval are unexplained.": (
        "مانده کیف پول {closing} ریال است؛ {rest} ریال در ۱ بازه بی‌توضیح است."
    ),
    "The wallet holds {closing} rials; {rest} rials in {count} intervals are "
    "unexplained.": (
        "مانده کیف پول {closing} ریال است؛ {rest} ریال در {count} بازه بی‌توضیح است."
    ),
    "The wallet holds {closing} rials; {gross} rials in {count} intervals are "
    "unexplained, in and out, which come to {rest} rials net.": (
        "مانده کیف پول {closing} ریال است؛ {gross} ریال ورودی و خروجی در {count} بازه "
        "بی‌توضیح است که خالص آن {rest} ریال است."
    ),
    "{source} is incomplete: {error}.": "{source} ناقص است: {error}.",
    "Nothing was pulled yet: run `recon nightly`, or ask `recon doctor` why.": (
        "هنوز چیزی دریافت نشده است: `recon nightly` را اجرا کنید؛ دلیلش را "
        "`recon doctor` می‌گوید."
    ),
    "No source was read: all that is known is from imported files.": (
        "هیچ منبعی خوانده نشده است: هر آنچه معلوم است از فایل‌های واردشده است."
    ),
    "and 1 more check; the breaks tell which.": (
        "و ۱ کنترل دیگر؛ فهرست مغایرت‌ها را ببینید."
    ),
    "and {count} more checks; the breaks tell which.": (
        "و {count} کنترل دیگر؛ فهرست مغایرت‌ها را ببینید."
    ),
    "{count}; {rials} rials": "{count}؛ {rials} ریال",
    "what to do": "چه باید کرد",
    "What to do first": "نخست چه باید کرد",
    "and {count} more": "و {count} مورد دیگر",
}

_PAGE = {
    "As known on {day} at {time} local time ({instant}).": (
        "بر پایه داده‌های {day} ساعت {time} به وقت محلی ({instant})."
    ),
    "Business dates from {first} to {last}.": "تاریخ کاری از {first} تا {last}.",
    "the beginning": "آغاز",
    "the end": "پایان",
    "Amounts are rials.": "مبالغ به ریال است.",
    "The CSV files beside this page have breaks, the wallet, flows, failures and fees "
    "whole; hours, escrow and mandates are in the notebooks.": (
        "مغایرت‌ها، کیف پول، گردش‌ها، پرداخت‌های ناموفق و کارمزدها به طور کامل در "
        "فایل‌های CSV کنار همین صفحه است؛ ساعت‌ها، امانت و "
        "مجوزهای برداشت در نوت‌بوک‌هاست."
    ),
    "Chapters": "بخش‌ها",
    "What is wider than the screen slides sideways.": (
        "آنچه از صفحه پهن‌تر است با کشیدن به پهلو دیده می‌شود."
    ),
    "Nothing to show.": "چیزی برای نمایش نیست.",
    "The figures": "ارقام",
    "{shown} of {whole} rows; {file} has all.": (
        "{shown} ردیف از {whole} ردیف؛ همه در {file} است."
    ),
    "The loudest first. recon breaks show ID gives the evidence of each.": (
        "مهم‌ترین‌ها نخست. شواهد هر مورد: recon breaks show ID"
    ),
    "Only the intervals with a difference; rollforward.csv has all.": (
        "فقط بازه‌های دارای مغایرت؛ همه بازه‌ها در rollforward.csv است."
    ),
    "Sums of the period, deposits and adjustments too; flows.csv has each day.": (
        "جمع دوره همراه با واریزها و تعدیل‌ها؛ هر روز در flows.csv است."
    ),
    "Sums of the period; failures.csv has each day and all attempts.": (
        "جمع دوره؛ هر روز و همه تلاش‌ها در failures.csv است."
    ),
    "What is held now, whatever the period.": "امانت کنونی، صرف‌نظر از دوره.",
    "Usable mandates without a withdrawal left this month, or near their limit.": (
        "مجوزهای فعالی که سهمیه این ماهشان تمام شده یا نزدیک سقف‌اند."
    ),
}

_WORKBOOK = {
    "journal: by day; journal.csv has every entry.": (
        "دفتر روزنامه به تفکیک روز؛ همه سندها در journal.csv است."
    ),
    "journal: by day; journal.csv and the matches begin with {day}.": (
        "دفتر روزنامه به تفکیک روز؛ journal.csv و تطبیق دفاتر از {day} آغاز می‌شود."
    ),
    "As of {instant}.": "بر پایه داده‌های {instant}.",
    "{name}: {shown} of {whole} rows; {file} has all.": (
        "{name}: {shown} ردیف از {whole} ردیف؛ همه در {file} است."
    ),
    "utc": "UTC",
    "jalali": "شمسی",
    "toman": "تومان",
}

_CHAPTERS = {
    "Breaks": "مغایرت‌ها",
    "What is open, how loud, since when, and what stands behind it?": (
        "چه چیزی باز است، چه اهمیتی دارد، از کی، و پشت آن چیست؟"
    ),
    "By check": "به تفکیک کنترل",
    "Look for one long bar: many breaks of one kind usually have one cause.": (
        "دنبال یک میله بلند بگردید: مغایرت‌های پرشمار همسان معمولاً یک علت دارند."
    ),
    "By age": "به تفکیک عمر",
    "Look for what is old: what has been open for weeks was not decided by anyone.": (
        "به قدیمی‌ها نگاه کنید: آنچه هفته‌ها باز مانده، کسی درباره‌اش تصمیم نگرفته است."
    ),
    "The wallet": "کیف پول",
    "Does the wallet hold what all known movements lead to, and what explains it "
    "where not?": (
        "آیا مانده کیف پول با همه گردش‌های شناخته می‌خواند، و اگر نه، چه چیزی آن را "
        "توضیح می‌دهد؟"
    ),
    "From opening to closing": "از ابتدا تا پایان دوره",
    "The steps lead from the first balance to the last one; orange is what nothing "
    "explains.": (
        "پله‌ها از نخستین مانده به آخرین مانده می‌رسد؛ نارنجی آن است که توضیحی ندارد."
    ),
    "From snapshot to snapshot": "از مانده‌گیری تا مانده‌گیری",
    "Look for orange: the interval in which the rest appeared is where to search.": (
        "دنبال نارنجی بگردید: بازه‌ای که مغایرت در آن پیدا شده جای جست‌وجوست."
    ),
    "Flows": "گردش‌ها",
    "How much came in, when, by which method, and what was left after the wage?": (
        "چه مبلغی، کی و با چه روشی آمد، و پس از کارمزد چه ماند؟"
    ),
    "By day": "به تفکیک روز",
    "Look for days that are missing or far from their neighbours, and for a method "
    "whose share moved.": (
        "دنبال روزهای جاافتاده یا دور از همسایه‌ها، و روشی که سهمش تغییر کرده بگردید."
    ),
    "By method": "به تفکیک روش",
    "Compare the wage with the gross: an expensive method that grows costs more every "
    "month.": (
        "کارمزد را با مبلغ ناخالص بسنجید: روش گران رو به رشد هر ماه پرهزینه‌تر می‌شود."
    ),
    "By hour": "به تفکیک ساعت",
    "Look for the hours that carry the week: maintenance belongs in the pale ones.": (
        "ساعت‌های پربار هفته را ببینید: نگهداری سامانه جایش ساعت‌های کم‌رنگ است."
    ),
    "What reached the wallet": "آنچه به کیف پول رسید",
    "The same bars, but as the effect on the wallet, after the wage.": (
        "همان میله‌ها، به صورت اثر بر کیف پول پس از کارمزد."
    ),
    "Failures": "پرداخت‌های ناموفق",
    "What did not go through, why, when, and what does it amount to?": (
        "چه پرداختی انجام نشد، چرا، کی، و مبلغش چقدر است؟"
    ),
    "Over time": "در گذر زمان",
    "Look for the thick line leaving its usual height, and for the method that pulls "
    "it.": "ببینید خط ضخیم کی از سطح همیشگی دور شده و کدام روش آن را کشیده است.",
    "By method and code": "به تفکیک روش و کد",
    "Look for a dark cell: there one method fails for one reason again and again.": (
        "دنبال خانه تیره بگردید: آنجا یک روش بارها به یک دلیل ناموفق بوده است."
    ),
    "A dark column is an hour with trouble at a bank; a dark cell may be only a few "
    "attempts.": (
        "ستون تیره ساعتی است که بانکی مشکل داشته؛ یک خانه تیره شاید فقط چند تلاش باشد."
    ),
    "What it amounts to": "مبلغ آن",
    "The rials that did not come in at this attempt; some came in at the next.": (
        "ریال‌هایی که در این تلاش نیامد؛ بخشی در تلاش بعدی آمده است."
    ),
    "Fees": "کارمزدها",
    "Did the provider charge what was agreed, and which method costs what?": (
        "آیا کارمزد طبق قرارداد گرفته شده، و هر روش چقدر هزینه دارد؟"
    ),
    "Rate by month": "نرخ ماهانه",
    "A ring is what the imported tariff gives, a dot what was charged; orange where "
    "they differ. Without rings no tariff covers the month: `recon import tariff` "
    "brings one.": (
        "حلقه نرخ تعرفه است و نقطه نرخ دریافتی؛ نارنجی یعنی با هم نمی‌خوانند. ماه "
        "بی‌حلقه تعرفه ندارد: `recon import tariff`"
    ),
    "Escrow": "امانت",
    "What is held for others, for how long, and where is a dispute?": (
        "چه مبلغی برای دیگران امانت است، از کی، و اختلاف کجاست؟"
    ),
    "Held over time": "امانت در گذر زمان",
    "A line that only rises means that trades are paid and not finalized.": (
        "خطی که فقط بالا می‌رود یعنی معامله‌ها پرداخت شده و نهایی نشده است."
    ),
    "How long it has been held": "مدت امانت",
    "Look at the lowest bars: what is old is forgotten or disputed.": (
        "به پایین‌ترین میله‌ها نگاه کنید: آنچه کهنه است فراموش شده یا مورد اختلاف است."
    ),
    "Mandates": "مجوزهای برداشت",
    "How much room do the mandates leave, when do they end, and how well do they "
    "work?": "مجوزها چقدر جا دارند، کی تمام می‌شوند، و چقدر خوب کار می‌کنند؟",
    "Room in this month's count": "سهمیه مانده این ماه",
    "Amber has no withdrawal left this month; orange was used beyond its count.": (
        "کهربایی یعنی سهمیه این ماه تمام شده؛ نارنجی یعنی بیش از سهمیه مصرف شده است."
    ),
    "Room below the limit": "فاصله تا سقف",
    "Mandates near their limit fail when the next invoice is larger.": (
        "مجوز نزدیک به سقف با صورت‌حساب بزرگ‌تر بعدی ناموفق می‌شود."
    ),
    "When they expire": "زمان انقضا",
    "A high bar soon ahead is a week in which many customers must be asked again.": (
        "میله بلند نزدیک، هفته‌ای است که باید از مشتریان بسیاری دوباره مجوز گرفت."
    ),
    "Success by age": "موفقیت به تفکیک عمر",
    "A falling line means that old mandates are worth renewing before they end.": (
        "خط رو به پایین یعنی نوکردن مجوزهای قدیمی پیش از پایانشان می‌ارزد."
    ),
}

PAGE_PHRASES = {**_VERDICT, **_PAGE, **_WORKBOOK, **_CHAPTERS}
