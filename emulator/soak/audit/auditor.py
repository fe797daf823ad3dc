"""Audit a run independently: what every meter, award and payout must be, to the micro.

It knows the site and rule files, what clients sent and what they were told, and nothing of the
controller's code for money. Answers may come in any order; they are worked through in the order of
the journal's sequence, which every answer carries and which decides between linked tables. The
first difference raises `ContradictionError`, and what came before it is the shortest
part of the run that shows it.
"""

import heapq
from collections.abc import Callable
from itertools import count
from typing import Any

from emulator.soak.audit import floor_calls, rounds, undoing
from emulator.soak.audit.books import Books, Hand, Payout, Round, Table, new_link
from emulator.soak.audit.claims import Cards
from emulator.soak.audit.comparing import Comparison, difference
from emulator.soak.audit.entry import FRAME, OBSERVATIONS, RESTORED, Entry, flat
from emulator.soak.audit.floor_commands import FLOOR_COMMANDS, void_answer
from emulator.soak.audit.paying import settle
from emulator.soak.audit.returning import credit
from emulator.soak.audit.signs import Signs
from emulator.soak.audit.terms import SiteTerms
from emulator.soak.audit.well_formed import malformed_reasons
from jackpot.wire.v1 import table_pb2 as pb

# Answers a table, to compare a repeated command's answer with the first. The table plays on while
# the answer to a copy is on its way over another connection, for as long as a call may take.
REMEMBERED = 512
MAX_DECKS = 8  # at one table


class ContradictionError(Exception):
    """The controller said or did something that the law and the record don't bear out."""

    def __init__(self, entry: Entry, what: str) -> None:
        self.entry = entry
        self.what = what
        super().__init__(f"at sequence {entry.sequence}: {what}")


Settled = Callable[[Table, Round, Cards, list[Payout]], None]


class Auditor:
    """Audits one site."""

    def __init__(self, terms: SiteTerms, on_settled: Settled | None = None) -> None:
        self.books = Books(
            {name: new_link(link) for name, link in terms.links.items()},
            {name: Table(table) for name, table in terms.tables.items()},
        )
        self.sequence = 0  # audited up to here
        self.agreed = 0  # the last sequence at which all accounts were seen to agree
        self.audited = 0  # entries
        self.observed = 0
        self.skipped = 0  # frames that came too late to be compared
        self.signs = Signs(self.books.links)
        self.on_settled = on_settled
        self._waiting: list[tuple[int, bool, int, Entry]] = []
        self._arrivals = count()
        self._answers: dict[str, dict[tuple[int, int], Entry]] = {}
        self._epochs: dict[str, int] = {}
        self._epochs_above = 0  # those up to here belong to a history before a restore
        self._compare = Comparison(self.books)

    # -- order --------------------------------------------------------------------------------

    def feed(self, entry: Entry) -> bool:
        """Take an entry in; it is audited when all before it are known. False: it was known.

        Whoever looks after a sequence was known may not be shown anything older.
        """
        if entry.sequence < entry.since:
            older = f"{entry.kind} is older than {entry.since}, told before"
            raise ContradictionError(entry, older)
        if entry.table and entry.number and (first := self._first(entry)):
            return self._judge_again(entry, first)
        if not entry.sequence:
            self._judge_unjournaled(entry)
            return True
        view = entry.kind in OBSERVATIONS
        if entry.sequence < self.sequence + (not view) and entry.kind != FRAME:
            raise ContradictionError(entry, "an answer came for a sequence that was passed")
        if entry.kind == RESTORED:  # whatever is still under way is refused from now on
            self._epochs_above = int(entry.details["epochs_above"])
        if entry.kind == "attach" and entry.response is not None:
            known = self._epochs.get(entry.table, 0)
            self._epochs[entry.table] = max(known, entry.response.epoch)
        heapq.heappush(self._waiting, (entry.sequence, view, next(self._arrivals), entry))
        return True

    def advance(self, known_to: int) -> None:
        """Audit everything up to a sequence, before which nothing can still arrive."""
        while self._waiting and self._waiting[0][0] <= known_to:
            sequence, observation, _, entry = heapq.heappop(self._waiting)
            if observation:
                self._observe(entry)
                continue
            if sequence == self.sequence:
                raise ContradictionError(entry, "two commands have one sequence")
            self.sequence = sequence
            self._audit(entry)
            if not entry.reason:
                self.signs.keep(sequence)

    @property
    def waiting(self) -> int:
        """Entries that wait for what comes before them."""
        return len(self._waiting)

    def _first(self, entry: Entry) -> Entry | None:
        """What was answered under the same identity; None: this is the first."""
        answers = self._answers.setdefault(entry.table, {})
        first = answers.get((entry.epoch, entry.number))
        if first is None and entry.sequence:
            answers[entry.epoch, entry.number] = entry
            if len(answers) > REMEMBERED:
                del answers[next(iter(answers))]
        return first

    def _judge_again(self, entry: Entry, first: Entry) -> bool:
        """A used identity is refused to anything else, and else answered as before: False."""
        if entry.reason == "REQUEST_REUSED" and entry.request != first.request:
            return True
        if entry.request != first.request:
            raise ContradictionError(entry, "another command was answered under a used identity")
        if self._is_fenced(entry):
            return True
        before = (first.sequence, first.reason, first.response)
        if (entry.sequence, entry.reason, entry.response) != before:
            raise ContradictionError(entry, f"the first answer was: {first}")
        return False

    def _judge_unjournaled(self, entry: Entry) -> None:
        if not self._is_fenced(entry):
            raise ContradictionError(entry, f"refused without need: {entry.reason}")

    def _is_fenced(self, entry: Entry) -> bool:
        """Whether a command is refused because another attachment, or history, has begun."""
        if entry.reason == "OTHER_INCARNATION":
            return entry.epoch <= self._epochs_above
        return entry.reason == "FENCED" and self._epochs.get(entry.table, 0) > entry.epoch

    # -- what a command must come to ----------------------------------------------------------

    def _audit(self, entry: Entry) -> None:
        self.audited += 1
        if entry.kind == "attach":
            self._attached(entry)
        elif entry.kind == RESTORED:
            self._restored(entry)
        elif entry.kind in FLOOR_COMMANDS:
            why_not, do = FLOOR_COMMANDS[entry.kind]
            if self._is_refused(entry, why_not(self.books, entry.request)):
                return
            self._must_equal(entry, do(self.books, entry.request))
        else:
            self._command(entry)
        floor_calls.close_impossible(self.books)

    def _is_refused(self, entry: Entry, why: str) -> bool:
        if why != entry.reason:
            told = entry.reason or "accepted"
            raise ContradictionError(entry, f"was {told}, must be {why or 'accepted'}: {entry}")
        return bool(why)

    def _must_equal(self, entry: Entry, expected: Any) -> None:
        expected.sequence = entry.sequence
        if expected != entry.response:
            raise ContradictionError(entry, difference(expected, entry.response))

    def _attached(self, entry: Entry) -> None:
        table = self.books.tables[entry.table]
        expected = pb.AttachResponse(
            epoch=table.epoch + 1,
            last_number=table.last_number,
            rounds=table.rounds,
            incarnation=self.books.incarnation,
        )
        if found := self.books.calls.get(entry.table):
            expected.call.CopyFrom(entry.response.call)  # with its times, as the clock has them
            expected.call.MergeFrom(floor_calls.call_message(entry.table, found))
        told: pb.AttachResponse = entry.response
        if round_ := table.round or table.voided:
            expected.round.CopyFrom(self._compare.round_message(table, round_, told.round))
        # What the table is, may do and talks to is told as it stands a moment after the entry.
        if told.HasField("config"):
            if (told.config.table, told.config.seats) != (table.terms.id, table.terms.seats):
                raise ContradictionError(entry, f"the table is told to be {flat(told.config)}")
            expected.config.CopyFrom(told.config)
            expected.server_time.CopyFrom(told.server_time)
        expected.next_round_refusal = told.next_round_refusal
        expected.server_version = told.server_version
        self._must_equal(entry, expected)
        table.epoch, table.last_number = table.epoch + 1, 0

    def _restored(self, entry: Entry) -> None:
        """A backup is in place: nobody is attached, and nothing that was given is given again."""
        said = {name: int(value) for name, value in entry.details.items() if value.isdigit()}
        books = self.books
        if said["epochs_above"] < said["last_epoch"]:
            raise ContradictionError(entry, "an epoch that was given may be given again")
        if said["payouts_above"] < max(said["last_payout"], books.last_payout):
            raise ContradictionError(entry, "a payout that was given may be given again")
        if said["calls_above"] < max(said["last_call"], books.last_call):
            raise ContradictionError(entry, "a call that was given may be given again")
        books.incarnation = entry.details["incarnation"]
        books.lost_payouts.append(range(books.last_payout + 1, said["payouts_above"] + 1))
        books.last_payout = said["payouts_above"]
        books.lost_calls.append(range(books.last_call + 1, said["calls_above"] + 1))
        books.last_call = said["calls_above"]
        for table in books.tables.values():
            table.epoch, table.last_number = said["epochs_above"], 0

    def _command(self, entry: Entry) -> None:
        table = self.books.tables[entry.table]
        if (entry.epoch, entry.number) != (table.epoch, table.last_number + 1):
            was = f"{table.epoch}.{table.last_number}"
            raise ContradictionError(entry, f"{entry.epoch}.{entry.number} follows {was}")
        table.last_number = entry.number
        if wrong := malformed_reasons(entry.kind, entry.request):
            if entry.reason not in wrong:
                told, must = entry.reason or "accepted", " or ".join(sorted(wrong))
                raise ContradictionError(entry, f"was {told}, must be {must}: {entry}")
            return
        getattr(self, f"_{entry.kind}")(entry, table)  # as the fields of a Play command are named

    def _open_round(self, entry: Entry, table: Table) -> None:
        if self._is_refused(entry, rounds.why_not_open(self.books, table)):
            return
        table.rounds += 1
        table.round, table.voided = Round(table.rounds), None
        self._must_equal(entry, pb.OpenRoundResponse(round=table.rounds))

    def _place_wagers(self, entry: Entry, table: Table) -> None:
        wagers = entry.request.wagers
        if not self._is_refused(entry, rounds.why_not_place(self.books, table, wagers)):
            rounds.place(self.books, table, wagers)

    def _withdraw_wagers(self, entry: Entry, table: Table) -> None:
        wagers = entry.request.wagers
        if not self._is_refused(entry, rounds.why_not_withdraw(table, wagers)):
            for wager in wagers:
                standing = rounds.round_of(table).wagers[wager.seat][wager.bet]
                credit(self.books, table, wager.bet, standing)
                rounds.take_out(table, wager.seat, wager.bet)

    def _lock_out(self, entry: Entry, table: Table) -> None:
        if self._is_refused(entry, rounds.out_of_phase(table, "OPEN")):
            return
        if problem := self._compare.lock_out(table, entry.response):
            raise ContradictionError(entry, problem)
        round_ = rounds.round_of(table)
        rounds.post(self.books, table, entry.sequence, electronic=True)
        round_.draws = {drawn.link: drawn for drawn in entry.response.draws}
        round_.phase = "COLLECTED" if entry.response.collected else "LOCKED"

    def _confirm_collection(self, entry: Entry, table: Table) -> None:
        chips = dict(entry.request.chips)
        if self._is_refused(entry, rounds.why_not_confirm(table, chips)):
            if problem := self._compare.mismatch(table, chips, entry):
                raise ContradictionError(entry, problem)
            return
        rounds.post(self.books, table, entry.sequence, electronic=False)
        rounds.round_of(table).phase = "COLLECTED"

    def _settle(self, entry: Entry, table: Table) -> None:
        request = entry.request
        if self._is_refused(entry, rounds.why_not_settle(table, request)):
            return
        hands = {h.seat: Hand(tuple(h.cards), rounds.fate_of(h), h.player) for h in request.hands}
        cards = Cards(hands, tuple(request.dealer), tuple(request.community))
        payouts, alarms = settle(self.books, table, cards, entry.sequence)
        round_ = rounds.round_of(table)
        round_.settled, round_.payouts, round_.alarms = request, payouts, alarms
        if problem := self._compare.settlement(table, payouts, alarms, entry.response):
            raise ContradictionError(entry, problem)
        if self.on_settled:
            self.on_settled(table, rounds.round_of(table), cards, payouts)

    def _void_round(self, entry: Entry, table: Table) -> None:
        if not self._is_refused(entry, rounds.why_not_void(table, entry.request.irregularity)):
            number = rounds.round_of(table).number
            undone = undoing.void_round(self.books, table, entry.request.irregularity)
            self._must_equal(entry, pb.VoidRoundResponse(**void_answer(number, *undone)))

    def _call_floor(self, entry: Entry, table: Table) -> None:
        """A call moves no money, and when it expires is for the controller's clock to say."""
        if self._is_refused(entry, floor_calls.why_not_call(self.books, table, entry.request)):
            return
        number = floor_calls.call(self.books, table, entry.request)
        expires = entry.response.expires_time
        self._must_equal(entry, pb.CallFloorResponse(call=number, expires_time=expires))

    def _withdraw_call(self, entry: Entry, table: Table) -> None:
        number = entry.request.call
        if not self._is_refused(entry, floor_calls.why_not_withdraw(self.books, table, number)):
            del self.books.calls[table.terms.id]

    def _place_deck(self, entry: Entry, table: Table) -> None:
        """A deck moves no money, and when it is due is for the controller's clock to say."""
        if entry.request.back not in table.decks and len(table.decks) >= MAX_DECKS:
            self._is_refused(entry, "TOO_MANY")
            return
        self._is_refused(entry, "")
        table.decks.add(entry.request.back)

    def _remove_deck(self, entry: Entry, table: Table) -> None:
        known = entry.request.back in table.decks
        if not self._is_refused(entry, "" if known else "NO_SUCH_DECK"):
            table.decks.remove(entry.request.back)

    # -- what is seen -------------------------------------------------------------------------

    def _observe(self, entry: Entry) -> None:
        if entry.kind == FRAME and not self.signs.is_kept(entry.response):
            self.skipped += 1
            return
        self.observed += 1
        if entry.kind == FRAME:
            problem = self.signs.frame(entry.response)
        else:
            problem = self._compare.observation(entry)
        if problem:
            raise ContradictionError(entry, f"{problem} (all agreed at {self.agreed})")
        if entry.kind == "ListLinks":
            self.agreed = entry.sequence
