"""What the contract asks of a table's client, line by line, and how the wire shows a breach.

A rule holds all the time: it looks at everything that was seen. The `Trial`s in
`emulator.conform.trials` bring about the moments in which a rule is easily broken.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from emulator.conform.timeline import Lamp, Seen, answers, commands
from jackpot.wire.limits import HEARTBEAT_S
from jackpot.wire.v1 import table_pb2 as pb

MAX_UNANSWERED = 32
LONGEST_SILENCE_S = 3 * HEARTBEAT_S  # one late heartbeat, or one that got lost, is no breach
NEVER = frozenset(  # the same command will fail again
    {"WRONG_DENOMINATION", "UNKNOWN_BET", "UNKNOWN_SEAT", "DUPLICATE_WAGER", "MALFORMED"}
)
ENDS_EPOCH = frozenset({"FENCED", "OTHER_INCARNATION"})
SPEAKS_NO_MORE = ENDS_EPOCH | {"UNAUTHENTICATED"}


class Rule(NamedTuple):
    """A line of the contract that always holds."""

    id: str
    text: str
    source: str  # where the contract says so
    breaches: Callable[[Sequence[Seen]], Iterator[str]]
    occasions: Callable[[Sequence[Seen]], int]  # how often it could be broken
    occasion: str  # what has to be seen for that


def _numbers(seen: Sequence[Seen]) -> Iterator[str]:
    last: dict[int, int] = {}
    for one in commands(seen):
        expected = last.get(one.epoch, 0) + 1
        if one.number < 1:
            yield f"{_when(one)} {one.kind} has the number {one.number}; the first number is 1"
        elif one.number > expected:
            yield f"{_when(one)} {one.kind} has the number {one.number}; {expected} is next"
        last[one.epoch] = max(last.get(one.epoch, 0), one.number)


def _same_content(seen: Sequence[Seen]) -> Iterator[str]:
    first: dict[tuple[int, int], Seen] = {}
    for one in commands(seen):
        was = first.setdefault((one.epoch, one.number), one)
        if (was.kind, was.content) != (one.kind, one.content):
            yield (
                f"{_when(one)} number {one.number} is a {one.kind} now; "
                f"it was another {was.kind} at {was.at_s:.2f} s"
            )


def _unanswered_first(seen: Sequence[Seen]) -> Iterator[str]:
    """After a call broke, the unanswered command comes again before any other of its kind."""
    open_: dict[str, Seen] = {}  # by kind: sent, and not answered
    for one in seen:
        if one.what == "command":
            was = open_.get(one.kind)
            if was and was.epoch == one.epoch and one.number > was.number:
                yield (
                    f"{_when(one)} {one.kind} came again as number {one.number}; "
                    f"it was sent as number {was.number} and not answered"
                )
            open_[one.kind] = one
        elif one.what == "answer" or (one.what == "refused" and not one.again):
            open_.pop(one.kind, None)
        elif one.what == "attached":
            open_.clear()


def _epochs(seen: Sequence[Seen]) -> Iterator[str]:
    fenced: dict[int, float] = {}
    for one in seen:
        if one.what == "refused" and one.reason in ENDS_EPOCH and one.epoch:
            fenced.setdefault(one.epoch, one.at_s)
        elif one.what == "command" and one.epoch in fenced:
            yield (
                f"{_when(one)} {one.kind} was sent with an epoch that was over "
                f"at {fenced[one.epoch]:.2f} s"
            )


def _lamps(seen: Sequence[Seen]) -> Iterator[str]:
    sent: dict[int, frozenset[Lamp]] = {}
    lit: set[Lamp] = set()
    for one in seen:
        if one.what == "command" and one.kind == "place_wagers":
            placed = pb.PlaceWagers.FromString(one.content).wagers
            sent[one.number] = frozenset((wager.seat, wager.bet) for wager in placed)
        elif one.what == "answer" and one.kind == "place_wagers":
            lit |= sent.get(one.number, frozenset())
        elif one.what == "answer" and one.kind == "open_round":
            lit = set()
        elif one.what == "lamps" and (dark := one.lamps - lit):
            seat, bet = min(dark)
            yield (
                f"{_when(one)} the lamp of seat {seat}, {bet}, is lit; "
                "no answer has accepted that wager"
            )


def _never(seen: Sequence[Seen]) -> Iterator[str]:
    refused: dict[tuple[str, bytes], str] = {}
    sent: dict[tuple[int, int], Seen] = {}
    told: set[tuple[int, int]] = set()
    for one in seen:
        key = (one.epoch, one.number)
        if one.what == "command":
            why = refused.get((one.kind, one.content))
            if why and key not in told:
                yield f"{_when(one)} {one.kind} was sent again after {why}, unchanged"
            sent[key] = one
        elif one.what == "refused" and one.reason in NEVER and key in sent:
            told.add(key)
            refused[one.kind, sent[key].content] = one.reason
        elif one.what == "answer" and one.kind == "open_round":
            refused.clear()


def _window(seen: Sequence[Seen]) -> Iterator[str]:
    waiting: set[tuple[int, int]] = set()
    for one in seen:
        key = (one.epoch, one.number)
        if one.what == "command":
            waiting.add(key)
            if len(waiting) > MAX_UNANSWERED:
                yield f"{_when(one)} {len(waiting)} commands wait for an answer"
        elif one in answers([one]):
            waiting.discard(key)
        elif one.what == "attached":
            waiting.clear()


def _heartbeats(seen: Sequence[Seen]) -> Iterator[str]:
    """While a client speaks for the table, it is heard: by heartbeats, or by commands."""
    heard_s: float | None = None  # None: it does not speak for the table
    for one in seen:
        if one.what == "attached":
            heard_s = one.at_s
        elif one.reason in SPEAKS_NO_MORE:
            heard_s = None
        if heard_s is None:
            continue
        if (silent_s := one.at_s - heard_s) > LONGEST_SILENCE_S:
            yield f"{_when(one)} nothing was heard for {silent_s:.1f} s"
            heard_s = one.at_s
        if one.what == "command" or (one.what == "call" and one.kind == "Heartbeat"):
            heard_s = one.at_s


def _when(one: Seen) -> str:
    return f"at {one.at_s:.2f} s:"


def _sent(seen: Sequence[Seen]) -> int:
    return len(commands(seen))


def _unanswered(seen: Sequence[Seen]) -> int:
    return sum(one.again and one.number > 0 for one in seen)


def _beats(seen: Sequence[Seen]) -> int:
    """How often one heartbeat follows another: the first one says nothing of the next."""
    return max(0, sum(one.kind == "Heartbeat" and one.what == "call" for one in seen) - 1)


RULES = (
    Rule(
        "numbers",
        "Number commands 1, 2, 3 and so on from each attachment.",
        "Numbers",
        _numbers,
        _sent,
        "a command",
    ),
    Rule(
        "same-content",
        "A number that is sent again carries the same command.",
        "Numbers",
        _same_content,
        _unanswered,
        "a command that has to be sent again",
    ),
    Rule(
        "same-number",
        "A command that was not answered is sent again with its own number.",
        "Lost answers",
        _unanswered_first,
        _unanswered,
        "a command that has to be sent again",
    ),
    Rule(
        "fenced",
        "After FENCED or OTHER_INCARNATION, no command uses that epoch again.",
        "Fencing",
        _epochs,
        lambda seen: sum(one.reason in ENDS_EPOCH and one.epoch > 0 for one in seen),
        "a command that is refused as FENCED or OTHER_INCARNATION",
    ),
    Rule(
        "lamps",
        "A lamp is lit only after the answer to its wager.",
        "Lamps",
        _lamps,
        lambda seen: sum(bool(one.lamps) for one in seen),
        "a lit lamp (ShowLamps)",
    ),
    Rule(
        "no-retry",
        "A command that was refused for good is not sent again unchanged.",
        "Refusals",
        _never,
        lambda seen: sum(one.reason in NEVER and one.number > 0 for one in seen),
        "a command that is refused for good",
    ),
    Rule(
        "heartbeats",
        "Send a heartbeat every heartbeat_interval while you speak for the table.",
        "Heartbeats",
        _heartbeats,
        _beats,
        "a second heartbeat",
    ),
    Rule(
        "window",
        "At most 32 commands wait for an answer.",
        "Limits",
        _window,
        _sent,
        "a command",
    ),
)
