"""Compare what was told or shown with what the books say; each answers "" or the difference."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from emulator.soak.audit import draws
from emulator.soak.audit.books import Books, Link, Payout, Round, Table
from emulator.soak.audit.entry import Entry, flat
from emulator.soak.audit.rounds import round_of
from jackpot.wire.v1 import meter_pb2, operator_pb2, payout_pb2
from jackpot.wire.v1 import table_pb2 as pb


def amount(micros: int) -> str:
    """Dollars with all six places."""
    return f"{micros / 1_000_000:,.6f}"


def dollars(micros: int) -> str:
    """Dollars and cents, and what is below a cent where there is any."""
    whole, part = divmod(abs(micros), 1_000_000)
    cents, rest = divmod(part, 10_000)
    below = f"{rest:04d}".rstrip("0")
    return f"{'-' if micros < 0 else ''}${whole:,}.{cents:02d}{below}"


class Comparison:
    """Looks at the books of a site."""

    def __init__(self, books: Books) -> None:
        self._books = books

    def round_message(self, table: Table, round_: Round, told: pb.Round) -> pb.Round:
        """A table's round as Attach must tell it, but for times and who has voided it."""
        settled = round_.settled or pb.Settle()
        payouts = [slip(payout) for payout in round_.payouts]
        for payout, found in zip(payouts, told.payouts, strict=False):
            payout.decided_time.CopyFrom(found.decided_time)
        phase = "VOIDED" if round_ is table.voided else round_.phase
        return pb.Round(
            number=round_.number,
            phase=pb.RoundPhase.Value(f"ROUND_PHASE_{phase}"),
            hands=settled.hands,
            dealer=settled.dealer,
            community=settled.community,
            payouts=payouts,
            alarms=round_.alarms,
            irregularity=round_.irregularity,
            voided_by=told.voided_by,
            wagers=[
                pb.Wager(
                    seat=seat,
                    bet=bet,
                    amount_micros=self._wager(table, bet),
                    player=w.player,
                    account=w.account,
                )
                for seat, bets in sorted(round_.wagers.items())
                for bet, w in bets.items()
            ],
            void_seats=round_.void_seats,
            draws=round_.draws.values(),
            **draws.first_of(round_.draws.values()),
        )

    def _wager(self, table: Table, name: str) -> int:
        bet = table.terms.bet(name)
        return self._books.links[bet.link].terms.wager_micros if bet else 0

    def lock_out(self, table: Table, told: pb.LockOutResponse) -> str:
        """The wagers that a lock-out found, and what it may have drawn."""
        round_ = round_of(table)
        chips = [w for _, _, w in round_.standing() if not w.electronic]
        if told.round != round_.number:
            return f"locked out round {told.round}, must be {round_.number}"
        if told.collected is not (not chips):
            return f"collected is {told.collected} with {len(chips)} chip wagers"
        is_ = Counter((w.seat, w.bet, w.amount_micros) for w in told.wagers)
        must = Counter((s, bet, self._wager(table, bet)) for s, bet, _ in round_.standing())
        if is_ != must:
            return f"wagers are {sorted(is_.elements())}, must be {sorted(must.elements())}"
        return draws.problem(table.terms, told)

    def mismatch(self, table: Table, chips: dict[str, int], entry: Entry) -> str:
        """A refused count must name a bet with both of its numbers."""
        if entry.reason != "COLLECTION_MISMATCH":
            return ""
        bet = entry.details.get("bet", "")
        standing = round_of(table).standing()
        accepted = sum(b == bet and not w.electronic for _, b, w in standing)
        told = (entry.details.get("accepted"), entry.details.get("counted"))
        must = (str(accepted), str(chips.get(bet, 0)))
        return "" if told == must else f"chip mismatch of {bet} is told as {told}, must be {must}"

    def settlement(
        self, table: Table, payouts: list[Payout], alarms: list[str], told: pb.SettleResponse
    ) -> str:
        """Every award, in payment order, with everything that its slip says."""
        number = round_of(table).number
        if told.round != number:
            return f"settled round {told.round}, must be {number}"
        must = [slip(payout) for payout in payouts]
        is_ = list(told.payouts)
        if len(must) != len(is_):
            return f"{len(is_)} awards, must be {len(must)}: {_slips(is_)} not {_slips(must)}"
        for expected, found in zip(must, is_, strict=True):
            expected.decided_time.CopyFrom(found.decided_time)
            if expected != found:
                return f"an award is {flat(found)}, must be {flat(expected)}"
        if list(told.alarms) != alarms:
            return f"alarms are {list(told.alarms)}, must be {alarms}"
        return ""

    def observation(self, entry: Entry) -> str:
        """Accounts, payouts or tables as somebody saw them."""
        told = entry.response
        if entry.kind == "ListLinks":
            if off := self._books.total():
                return f"the auditor's own books are off by {amount(off)}"
            return _each(told.links, self._books.links, self._accounts)
        if entry.kind == "ListPayouts":
            return self._payouts(told)
        if entry.kind == "GetAccount":
            return self._game_account(entry.request.account, told.balance_micros)
        return _each(told.tables, self._books.tables, self._table)

    def _accounts(self, told: operator_pb2.Link) -> str:
        link = self._books.links[told.id]
        found: list[tuple[str, Any, Any]] = [
            ("status", status_name(told.status), link.status),
            ("hit count", told.hit_count, link.hits),
            ("levels", sorted(found.level for found in told.levels), sorted(link.levels)),
            *_level_accounts(told, link),
            ("house", amount(told.house_micros), amount(link.house)),
            ("players", amount(told.players_micros), amount(link.players)),
            ("pending", amount(told.pending_micros), amount(link.pending)),
            ("retained", amount(told.retained_micros), amount(link.retained)),
        ]
        return differing(told.id, found)

    def _game_account(self, name: str, told_micros: int) -> str:
        must = self._books.accounts.get(name, 0)
        return differing(f"account {name}", [("balance", amount(told_micros), amount(must))])

    def _payouts(self, told: operator_pb2.ListPayoutsResponse) -> str:
        must = {payout.id: slip(payout) for payout in self._books.payouts.values()}
        is_ = {payout.id: payout for payout in told.payouts}
        if must.keys() != is_.keys():
            return f"open payouts are {sorted(is_)}, must be {sorted(must)}"
        in_order = [
            payout
            for settlement in sorted(self._books.settlements.values(), key=lambda s: s.sequence)
            for award in settlement.awards
            for payout in award.payouts
            if payout in must
        ]
        if list(is_) != in_order:
            return f"open payouts are listed as {list(is_)}, must be {in_order}"
        for number, expected in must.items():
            expected.decided_time.CopyFrom(is_[number].decided_time)
            if expected != is_[number]:
                return f"open payout is {flat(is_[number])}, must be {flat(expected)}"
        return ""

    def _table(self, told: operator_pb2.Table) -> str:
        table = self._books.tables[told.id]
        open_ = sum(payout.table == told.id for payout in self._books.payouts.values())
        found: list[tuple[str, Any, Any]] = [
            ("epoch", told.epoch, table.epoch),
            ("last number", told.last_number, table.last_number),
            ("rounds", told.rounds, table.rounds),
            ("open payouts", told.open_payouts, open_),
        ]
        round_ = self.round_message(table, table.round, told.round) if table.round else pb.Round()
        found.append(("round", flat(told.round), flat(round_)))
        return differing(f"table {told.id}", found)


def _each(told: Sequence[Any], known: Mapping[str, Any], compare: Callable[[Any], str]) -> str:
    """What differs in a list, in which nothing may be missing."""
    ids = sorted(each.id for each in told)
    if ids != sorted(known):
        return f"listed are {ids}, must be {sorted(known)}"
    return "; ".join(filter(None, map(compare, told)))


def _title(hand: str) -> str:
    """A hand's name as people read it."""
    words = hand.replace("-", " ")
    own = {"magic": "Magic Card", "lucky": "Lucky Bonus", "any": "Any hand"}
    return own.get(hand) or words[:1].upper() + words[1:]


def slip(payout: Payout) -> payout_pb2.Payout:
    """A payout as the wire has it, but for its time."""
    due = payout.due
    return payout_pb2.Payout(
        id=payout.id,
        table=payout.table,
        round=payout.round,
        link=due.link,
        level=due.level,
        bet=due.bet,
        kind=payout_pb2.PayoutKind.Value(f"PAYOUT_KIND_{due.kind}"),
        hand=due.hand,
        seat=payout.seat,
        player=payout.player,
        cards=payout.cards,
        amount_micros=payout.amount,
        meter_before_micros=payout.meter_before,
        source=payout_pb2.PayoutSource.Value(f"PAYOUT_SOURCE_{payout.source}"),
        needs_floorperson=due.needs_floor,
        holder=payout.holder,
        share_bps=due.share_bps,
        floorperson=payout.floorperson,
        account=payout.account,
        status=payout_pb2.PayoutStatus.Value(f"PAYOUT_STATUS_{payout.status}"),
        form=payout.form,
        hand_title=_title(due.hand),
    )


def _level_accounts(told: operator_pb2.Link, link: Link) -> list[tuple[str, Any, Any]]:
    found: list[tuple[str, Any, Any]] = []
    for is_ in told.levels:
        if level := link.levels.get(is_.level):
            for name, field, held in (
                ("meter", "meter_micros", level.meter),
                ("reserve", "reserve_micros", level.reserve),
                ("overflow", "overflow_micros", level.overflow),
                ("limit", "limit_micros", level.terms.limit_micros),
                ("primary", "primary_bps", level.terms.primary_bps),
                ("reserve rate", "reserve_bps", level.terms.reserve_bps),
            ):
                found.append((f"{is_.level} {name}", amount(getattr(is_, field)), amount(held)))
    return found


def status_name(value: Any) -> str:
    """A link's status by name."""
    name: str = meter_pb2.LinkStatus.Name(value)
    return name.removeprefix("LINK_STATUS_")


def differing(what: str, found: list[tuple[str, Any, Any]]) -> str:
    """What of something is not as it must be: each by its name, as it is and must be."""
    wrong = [f"{name} is {is_}, must be {must}" for name, is_, must in found if is_ != must]
    return f"{what}: {', '.join(wrong)}" if wrong else ""


def _slips(payouts: list[payout_pb2.Payout]) -> str:
    return ", ".join(f"seat {p.seat} {p.hand} {amount(p.amount_micros)}" for p in payouts) or "none"


def difference(expected: Any, found: Any) -> str:
    """What two messages don't have in common, field by field."""
    parts = []
    for field in expected.DESCRIPTOR.fields:
        must, is_ = getattr(expected, field.name), getattr(found, field.name)
        if must != is_:
            parts.append(f"{field.name} is {flat(is_)}, must be {flat(must)}")
    return "; ".join(parts)
