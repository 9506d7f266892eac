"""Looking records up one by one: the products that have no list.

A look-up asks for every id that the business sent, or that was asked for before, but
for those whose answer is final. An id that was refused may only have been too new, so
it is asked again until it is older than `lake.full_every`, and then by whole pulls
only. Where all are refused, that may be the caller's key or address, in whatever
words: so one that was paid is asked for, too. A whole pull, due where the last one is
older than that or read times in another zone, asks for all that were sent, so that a
restated one is found.
"""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from recon.api.answers import Answer
from recon.api.together import together
from recon.errors import (
    ProviderError,
    RateLimited,
    Refused,
    Unauthenticated,
    Unavailable,
)
from recon.journal import Journal, journaled
from recon.lake import Lake
from recon.lake.schema import PROVENANCE, TABLES
from recon.pull.drafts import Draft, Left
from recon.pull.keeping import last_place
from recon.pull.patience import ASKED, NEXT, Patience, from_next
from recon.pull.pulling import Found, Pulling
from recon.pull.rounds import Round, certified
from recon.pull.taken_back import mended
from recon.pull.waiting import Place
from recon.settings import Settings

Row = dict[str, Any]


@dataclass(frozen=True)
class Register:
    """Where the ids that were sent are found, and the table of their answers.

    The source bears the name of that table.
    """

    sent_table: str
    sent_key: str
    table: str
    key: str
    state: str  # the column that tells what is final
    final: frozenset[Any]
    paid: Any  # the final state that no answer takes back
    journaled: Callable[[Journal], Iterator[Row]]  # the journal's rows of what was sent
    zone: Callable[[Settings], str] = lambda _: ""  # of its times, if they carry none

    def sent(self, settings: Settings, lake: Lake) -> list[Row]:
        """Return what the lake and the journal say of what the journal has sent.

        Rows of earlier pulls come with it that hold what an import told which was taken
        back since, without that.
        """
        return completed(lake, self, journaled(settings, self.journaled))


@dataclass(frozen=True)
class Lookup:
    """What is looked up, and how to ask.

    `ask` returns the row of an answer; a documented refusal is an answer too. `named`
    tells which id an answer itself names, where it names one.
    """

    register: Register
    ask: Callable[[str], Awaitable[tuple[Row, Answer[Any]]]]
    asked: str  # whom: answers of another address are not taken for these
    named: Callable[[Any], str | None] = lambda _: None


async def look_up(pulling: Pulling, lookup: Lookup) -> Found:
    """Ask for what is not final, at bounded concurrency, and keep every answer.

    The journal's rows of what was sent are kept first.
    """
    register, lake = lookup.register, pulling.lake
    filled = register.sent(pulling.settings, lake)
    pulling.keeper.keep(register.sent_table, filled)
    before = Round.of(lake, pulling.source)
    zone = register.zone(pulling.settings)
    whole = pulling.full or before.is_due(pulling.settings, lake, zone)
    found = wanted(pulling.settings, lake, register, filled, whole=whole)
    draft = Draft(pulling.lake, pulling.source, lookup.asked, pulling.pull_id)
    pulling.at_end.append(draft.close)
    taken = _take_again(pulling, lookup, found.ids, draft)
    ids = from_next(lake, pulling.source, [i for i in found.ids if i not in taken])
    asking = _Asking(pulling, lookup, ids, draft, found)
    workers = min(pulling.client.concurrency, len(ids))
    await together(asking.work() for _ in range(workers))
    await asking.settle()
    pulling.after_commit.append(draft.remove)  # what was final is in the lake then
    resumed = {"resumed": {"answers": len(taken)}} if taken else {}
    stopped = {} if asking.left is None else {NEXT: asking.left}
    return Found(
        complete=not asking.failed,
        whole=not found.later_count and (not found.final_count or before.is_open),
        error=asking.error,
        certificate={
            **certified(
                asked_all=whole,
                unanswered=found.settled.difference(asking.answered, taken),
                zone=zone,
            ),
            ASKED: asking.asked_count,
            "refused": asking.refused_count,
            "final": found.final_count,
            "later": found.later_count,
            **resumed,
            **stopped,
        },
    )


def _take_again(
    pulling: Pulling, lookup: Lookup, ids: Iterable[str], draft: Draft
) -> set[str]:
    """Keep the final answers that a killed pull left, with their own times.

    Returns their ids. What was not final is asked for again.
    """
    left = Left.find(pulling.lake, pulling.source, lookup.asked)
    taken: set[str] = set()
    if left is None:
        return taken
    wanted = set(ids)
    for record_id in left.keys():  # noqa: SIM118 - it is no mapping
        kept = left.get(record_id) if record_id in wanted else None
        if kept is None or kept.row is None:
            continue
        answer = pulling.keeper.capture_again(kept.page)
        pulling.keeper.keep(lookup.register.table, [kept.row], answer)
        draft.keep(record_id, kept.page, kept.row)
        taken.add(record_id)
    return taken


class _Asking:
    """The ids that are asked for, shared by the workers."""

    def __init__(
        self,
        pulling: Pulling,
        lookup: Lookup,
        ids: list[str],
        draft: Draft,
        found: "Wanted",
    ) -> None:
        self.asked_count = 0
        self.refused_count = 0
        self.failed: list[ProviderError] = []
        self.answered: set[str] = set()
        self._pulling = pulling
        self._lookup = lookup
        self._ids = ids
        self._draft = draft
        self._sent = found.sent
        self._witness = found.witness
        self._refusals: list[tuple[Row, Place | None]] = []
        self._is_heard = False  # some answer says that it is us who may ask
        self._patience = Patience()

    @property
    def error(self) -> str | None:
        """Say how many ids have no answer, and why the first has none."""
        if not self.failed:
            return None
        left = len(self._ids) - self.asked_count
        told = f" ({left} were not asked, the next pull begins with them)"
        missing = f"{left + len(self.failed)} of {len(self._ids)} got no answer"
        return f"{missing}{told if left else ''}: {self.failed[0]}"

    @property
    def left(self) -> str | None:
        """Return the first id that was not asked; None where all were."""
        return next(iter(self._ids[self.asked_count :]), None)

    async def work(self) -> None:
        """Ask for one id after the other until none is left or it is in vain."""
        while self.asked_count < len(self._ids) and not self._patience.is_over:
            record_id = self._ids[self.asked_count]
            self.asked_count += 1
            try:
                await self._ask(record_id)
            except (Unauthenticated, RateLimited):
                raise
            except ProviderError as error:
                self.failed.append(error)
                self._patience.failed(error)
            else:
                self._patience.answered()
                self.answered.add(record_id)
            self._pulling.report(len(self._ids))

    async def settle(self) -> None:
        """Keep the refusals as the answers of their ids.

        Raises Unauthenticated where they are the caller's: nothing was answered, and
        what was paid is refused as well.
        """
        keeper, table = self._pulling.keeper, self._lookup.register.table
        if not self._is_heard and any(place for _, place in self._refusals):
            await self._hear_witness()
        for row, place in self._refusals:
            keeper.keep(table, [row], place)

    async def _hear_witness(self) -> None:
        if self._witness is None:
            return
        try:
            await self._lookup.ask(self._witness)
        except (Unauthenticated, RateLimited):
            raise
        except Refused as error:
            raise Unauthenticated(
                "everything was refused, also what was paid and answered before, so "
                f"it may be the key or this machine's address: {error}",
                status=error.status,
                code=error.code,
                errors=error.errors,
            ) from None

    async def _ask(self, record_id: str) -> None:
        keeper, register = self._pulling.keeper, self._lookup.register
        before = last_place()
        try:
            row, answer = await self._lookup.ask(record_id)
        except (Unauthenticated, RateLimited):
            raise
        except Refused as error:
            self.refused_count += 1
            refused = {register.key: record_id, "error": said(error)}
            place = last_place()
            if place is before:
                place = None  # nobody was asked
            self._refusals.append((refused, place))
        else:
            self._is_heard = True
            self._refuse_another(record_id, answer)
            keeper.keep(register.table, [row], answer)
            if row.get(register.state) in register.final:
                self._draft.keep(record_id, answer.page(), row)

    def _refuse_another(self, record_id: str, answer: Answer[Any]) -> None:
        """Raise Unavailable where the answer is that of another id that was sent.

        Unknown: whether an answer's id is always the one that was asked for.
        """
        named = self._lookup.named(answer.value)
        if named != record_id and named in self._sent:
            told = f"{answer.url}: the answer is that of {named}"
            raise Unavailable(told, status=answer.status)


def said(error: Refused) -> str:
    """Return a refusal in the provider's words, the same for the same refusal."""
    texts = [text for said in error.errors.values() for text in said]
    return "; ".join(texts) or error.code or str(error)


def completed(lake: Lake, register: Register, rows: Iterable[Row]) -> list[Row]:
    """Put what the lake knows over the journal's rows, and return them.

    What was sent does not change, so another word of it is that of a later import. What
    one told that was taken back since is not known.
    """
    table, key = register.sent_table, register.sent_key
    own = [name for name in TABLES[table].columns.names if name != key]
    found = mended(lake, register.table, table, own)
    without = {row[key]: row for row in found.values()}
    known = {row[key]: row for row in lake.current(table).to_pylist()} | without
    sent = {row[key]: row | _said(known.get(row[key], {})) for row in rows}
    return [*(without | sent).values()]


def _said(known: Mapping[str, Any]) -> Row:
    return {
        name: value
        for name, value in known.items()
        if value is not None and name not in PROVENANCE.names
    }


@dataclass(frozen=True)
class Wanted:
    """The ids to ask for, how many are final, and how many were left for later.

    `settled` are those of them that are asked for because of their round alone. `sent`
    are all that there are. `witness` is what was last found to be paid, if anything.
    """

    ids: list[str]
    settled: frozenset[str]
    final_count: int
    later_count: int
    sent: frozenset[str]
    witness: str | None


def wanted(
    settings: Settings,
    lake: Lake,
    register: Register,
    sent: Iterable[Row],
    *,
    whole: bool,
) -> Wanted:
    """Tell which ids are to be asked for; `sent` is what `Register.sent` gave.

    One that was asked for and is not final is as good as sent: an import that told of
    it may have been taken back since, what the provider said of it stands.
    """
    columns = [register.key, register.state, "error", "pull_id"]
    answers = {
        row[register.key]: row
        for row in lake.current(register.table, columns).to_pylist()
    }
    since = lake.now() - settings.lake.full_every
    unanswered = Round.of(lake, register.table).unanswered
    ids, settled, final_count, later_count = [], [], 0, 0
    unfinished = {
        record_id: None
        for record_id, answer in answers.items()
        if answer[register.state] not in register.final
    }
    sent_ids = unfinished | _sent(lake, register, sent)
    for record_id, sent_at in sorted(sent_ids.items()):
        answer = answers.get(record_id, {})
        is_final = answer.get(register.state) in register.final
        is_new = sent_at is not None and sent_at > since
        if not is_final and (is_new or not answer.get("error")):
            ids.append(record_id)
        elif whole or record_id in unanswered:
            ids.append(record_id)
            settled.append(record_id)
        elif is_final:
            final_count += 1
        else:
            later_count += 1
    return Wanted(
        ids,
        frozenset(settled),
        final_count,
        later_count,
        frozenset(sent_ids),
        _witness(register, answers.values()),
    )


def _witness(register: Register, answers: Iterable[Row]) -> str | None:
    """Return the id that was last found to be paid; None where none was."""
    paid = [row for row in answers if row[register.state] == register.paid]
    newest = max(paid, key=lambda row: (row["pull_id"], row[register.key]), default={})
    return newest.get(register.key)


def _sent(
    lake: Lake, register: Register, journaled: Iterable[Row]
) -> dict[str, datetime | None]:
    """Return when each id was sent, by what imports and the journal say."""
    key = register.sent_key
    rows = lake.current(register.sent_table, [key, "sent_at"]).to_pylist()
    return {row[key]: row["sent_at"] for row in [*rows, *journaled]}
