"""A payout's slip: all that its documentation needs, from the journal, with where to find it there.

A slip says which entry decided the award and that entry's hash, so that it can be held against the
journal years later; signed, it also shows that the journal has not been rewritten since.
"""

from textwrap import wrap

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from msgspec import Struct

from jackpot.core.config import GamingDay
from jackpot.core.events import Record
from jackpot.core.events.operator import (
    BadBeatVerified,
    IncarnationBegun,
    LinkDefined,
    LinkDescribed,
    PayoutPaid,
    PayoutRejected,
    PayoutValidated,
    SiteConfigured,
)
from jackpot.core.events.table import RoundSettled, RoundVoided, SeatVoided
from jackpot.core.evolve_awards import change_payout
from jackpot.core.money import dollars
from jackpot.core.state import Payout, Settlement
from jackpot.engine.gaming_day import local_time
from jackpot.reports.movements import taken_back_by
from jackpot.reports.walk import Walk
from jackpot.signing import fingerprint, is_signed, sign
from jackpot.software import this_software
from jackpot.store import codec
from jackpot.store.journal import Entry
from jackpot.wire.errors import PlainError

FORMAT = "jackpot-slip/1"
_WIDTH, _LABEL = 64, 14
_ROLES = {"loser": "the loser", "winner": "the winner", "table": "at the table"}
_KINDS = {
    kind.__name__
    for kind in (
        *(RoundSettled, BadBeatVerified, PayoutValidated, PayoutPaid, PayoutRejected),
        *(RoundVoided, SeatVoided, SiteConfigured, LinkDefined, LinkDescribed, IncarnationBegun),
    )
}


class Step(Struct, frozen=True):
    """An entry of the journal that a payout went through."""

    what: str
    sequence: int
    time_micros: int
    hash: str
    by: str = ""


class Shown(Struct, frozen=True):
    """A hand that was shown down."""

    seat: int  # 0: not recorded
    hand: str
    cards: tuple[str, ...]


class BadBeat(Struct, frozen=True):
    """The hands of a Bad Beat, and what the player of the slip has to do with them."""

    role: str
    losing: Shown
    winning: Shown
    board: tuple[str, ...]  # the cards that both hands share


class Slip(Struct):
    """All that a payout's documentation needs."""

    site: str
    payout: int
    link: str
    title: str
    level: str
    table: str
    round: int
    seat: int
    player: str
    bet: str
    kind: str
    hand: str
    cards: tuple[str, ...]
    amount_micros: int
    meter_before_micros: int
    meter_after_micros: int
    source: str
    status: str
    needs_floorperson: bool
    floorperson: str = ""
    form: str = ""
    account: str = ""
    zone: str = "UTC"
    steps: list[Step] = []
    format: str = FORMAT
    # Left out where there is none, so that what was signed before it existed reads the same.
    bad_beat: BadBeat | msgspec.UnsetType = msgspec.UNSET
    incarnation: int | msgspec.UnsetType = msgspec.UNSET  # ordinal, once a backup was restored


class Receipt(Struct, frozen=True):
    """A slip that was signed."""

    slip: Slip
    key: str
    signature: str


# What a slip takes over from the payout as it is.
_OF_PAYOUT = set(Slip.__struct_fields__) & set(Payout.__struct_fields__)


class NoSuchPayoutError(PlainError):
    """The journal has no such payout."""


def find_slip(walk: Walk, payout: int) -> Slip:
    """The slip of a payout as the journal has it now."""
    finder = _Finder(walk.site, payout)
    for entry in walk.chained():
        if entry.kind in _KINDS:
            finder.take(entry, codec.decode_entry(walk.site, entry))
    if finder.slip is None:
        raise NoSuchPayoutError(f"site {walk.site} has no payout {payout}")
    finder.slip.zone = finder.day.zone
    return finder.slip


def receipt(slip: Slip, key: Ed25519PrivateKey) -> Receipt:
    """A signed slip."""
    return Receipt(slip, fingerprint(key.public_key()), sign(key, msgspec.json.encode(slip)))


def as_json(found: Slip | Receipt) -> bytes:
    """A slip or a receipt as machines read it: the one way in which it is written."""
    return msgspec.json.format(msgspec.json.encode(found), indent=2) + b"\n"


def is_genuine(found: Receipt, key: Ed25519PublicKey) -> bool:
    """Whether the owner of a key signed exactly this slip, and the receipt names that key."""
    statement = msgspec.json.encode(found.slip)
    return found.key == fingerprint(key) and is_signed(key, statement, found.signature)


class _Finder:
    """Follows one payout through the journal."""

    def __init__(self, site: str, payout: int) -> None:
        self.slip: Slip | None = None
        self.day = GamingDay(0, "UTC")
        self._site = site
        self._payout = payout
        self._now: Payout | None = None
        self._titles: dict[str, str] = {}
        self._ordinal: int | msgspec.UnsetType = msgspec.UNSET

    def take(self, entry: Entry, record: Record) -> None:
        """Take in an entry that may be about the payout."""
        event = record.event
        match event:
            case SiteConfigured():
                self.day = event.day
            case IncarnationBegun():
                self._ordinal = event.ordinal
            case LinkDefined() | LinkDescribed():
                self._titles[event.link.id] = event.link.title
            case RoundSettled() | BadBeatVerified():
                for payout in event.payouts:
                    if payout.id == self._payout:
                        self._decided(entry, payout, event)
            case PayoutValidated(payout=self._payout) if self.slip:
                self.slip.floorperson, self.slip.source = event.floorperson, event.source
                self._step("validated", entry, event.floorperson)
            case PayoutPaid(payout=self._payout) if self.slip:
                self.slip.form, self.slip.source = event.form, event.source
                self._step("paid", entry, f"form {event.form}" if event.form else "")
            case PayoutRejected() | RoundVoided() | SeatVoided():
                by = taken_back_by(event.floorperson, record.origin)
                self._reworked(entry, event, by)

    def _decided(self, entry: Entry, payout: Payout, event: RoundSettled | BadBeatVerified) -> None:
        self._now = payout
        self.slip = Slip(
            site=self._site,
            payout=payout.id,
            title=self._titles.get(payout.link, payout.link),
            meter_after_micros=payout.meter_before_micros,
            status="decided",
            steps=[],
            incarnation=self._ordinal,
            **{name: getattr(payout, name) for name in _OF_PAYOUT},
        )
        if isinstance(event, BadBeatVerified) and event.losing:
            losing = Shown(event.loser, event.hand, event.losing)
            winning = Shown(event.winner, event.winning_hand, event.winning)
            self.slip.bad_beat = BadBeat(payout.role, losing, winning, event.community)
        self._set_after(event.settlement)
        self._step("decided", entry, payout.floorperson)

    def _reworked(
        self, entry: Entry, event: PayoutRejected | RoundVoided | SeatVoided, by: str
    ) -> None:
        for change in event.changes:
            if change.payout != self._payout or self.slip is None or self._now is None:
                continue
            if change.closed:
                what = "rejected" if isinstance(event, PayoutRejected) else "void"
            else:
                what = "recalculated"
                self._now = change_payout(self._now, change)
                for name in ("seat", "amount_micros", "meter_before_micros"):
                    setattr(self.slip, name, getattr(self._now, name))
                if not isinstance(event, RoundVoided):
                    self._set_after(event.settlement)
            self._step(what, entry, by)

    def _set_after(self, settlement: Settlement | None) -> None:
        """The meter after the award, with whatever was put back on it at once."""
        if self.slip is None:
            return
        # A Bad Beat's shares are all of the one fund that was there before them.
        together = self.slip.kind == "bad-beat"
        self.slip.meter_after_micros = self.slip.meter_before_micros + sum(
            award.effects.meter_micros
            for award in (settlement.awards if settlement else ())
            if together or self._payout in award.payouts
        )

    def _step(self, what: str, entry: Entry, by: str) -> None:
        if self.slip:
            self.slip.status = what
            step = Step(what, entry.sequence, entry.time_micros, entry.hash.hex(), by)
            self.slip.steps.append(step)


def _card_rows(slip: Slip) -> list[tuple[str, str]]:
    found = slip.bad_beat
    if found is msgspec.UNSET:
        return [("cards", " ".join(slip.cards) or "not shown to the controller")]
    return [
        ("player is", _ROLES.get(found.role, "not recorded")),
        ("losing hand", _shown(found.losing)),
        ("winning hand", _shown(found.winning)),
        ("board", " ".join(found.board) or "none"),
    ]


def _shown(hand: Shown) -> str:
    at = f"seat {hand.seat}, " if hand.seat else ""
    return f"{at}{hand.hand}: {' '.join(hand.cards)}"


def slip_lines(slip: Slip, signed: Receipt | None = None) -> list[str]:
    """A slip as people read it, 64 columns wide: the same on a screen and on paper."""
    rows = [
        ("site", slip.site),
        ("link", f"{slip.title} ({slip.link})"),
        ("level", slip.level or "none (the house pays)"),
        ("table", slip.table),
        ("round", str(slip.round) if slip.round > 0 else "none (Bad Beat)"),
        ("seat", str(slip.seat)),
        ("player", slip.player),
        ("bet", slip.bet),
        ("award", f"{slip.hand} ({slip.kind})"),
        *_card_rows(slip),
        ("AMOUNT", f"${dollars(slip.amount_micros)}"),
        ("paid from", slip.source),
    ]
    if slip.level:
        rows += [
            ("meter before", f"${dollars(slip.meter_before_micros)}"),
            ("meter after", f"${dollars(slip.meter_after_micros)}"),
        ]
    nobody = "nobody yet" if slip.needs_floorperson else "not needed"
    rows += [("validated by", slip.floorperson or nobody)]
    rows += [("form", slip.form or "-"), ("status", slip.status)]
    if slip.account:
        rows.append(("account", slip.account))
    if slip.incarnation is not msgspec.UNSET:
        rows.append(("incarnation", f"{slip.incarnation}, since a backup was restored"))
    lines = [f"PAYOUT {slip.payout}", ""]
    for name, value in rows:
        first, *more = wrap(value, _WIDTH - _LABEL) or [""]
        lines += [f"{name:<{_LABEL}}{first}", *(" " * _LABEL + part for part in more)]
    lines.append("")
    for step in slip.steps:
        when = local_time(GamingDay(0, slip.zone), step.time_micros)
        lines.append(f"{step.what}, {when} {slip.zone}, journal {step.sequence}")
        lines += [f"  {step.hash[:32]}", f"  {step.hash[32:]}"]
    if signed:
        half = len(signed.signature) // 2
        lines += ["", f"signed with key {signed.key}"]
        lines += [f"  {signed.signature[:half]}", f"  {signed.signature[half:]}"]
    lines += ["", f"printed by {this_software().label}"]
    lines += ["", "floorperson  ______________________", "", "player       ______________________"]
    return lines
