"""The clauses of a chapter, step by step.

The chapters were written from one model: what differs is their numbers, and in few places their
letters. `chapter` builds a chapter's clauses from its section numbers; a game names the exceptions.
"""

from msgspec import Struct

from table_client.table.games.model import Clauses, WayClauses
from table_client.table.ports import Way


class Sections(Struct, frozen=True, kw_only=True):
    """The section numbers of a chapter; `before` goes in front of each."""

    before: str
    opening: int = 4
    shuffle: int = 5
    wagers: int = 7
    manual: int = 8
    hand: int = 9
    automated: int = 10
    completion: int = 11
    automated_before: str = ""  # where a later act restated the section
    later: str = ""  # likewise for wagers and completion

    def at(self, section: int, *letters: str, before: str = "") -> str:
        """A clause of a section."""
        return f"{before or self.before}{section}" + "".join(f"({letter})" for letter in letters)

    def way(
        self, section: int, load: str, no_more_bets: str, rest: str, before: str = ""
    ) -> WayClauses:
        """One way of dealing; the rest is the letters of the other clauses, in their order."""
        clauses = (load, no_more_bets, *rest)
        return WayClauses(*(self.at(section, *each, before=before) for each in clauses))


class Letters(Struct, frozen=True, kw_only=True):
    """Where a chapter's letters are its own."""

    late: str = "c"
    abandoned: str = "b"
    boxes: str = "e"
    collect_folds: tuple[str, ...] = ("c",)
    reveal: tuple[str, ...] = ("c",)
    turn_up: tuple[str, ...] = ("c", "1")
    discard: tuple[str, ...] = ("h",)
    award_checks: tuple[str, ...] = ()
    envy: tuple[str, ...] = ()
    hand_bonus: str = ""
    talking: str = ""
    continuous: str = ""


def ways(sections: Sections) -> dict[Way, WayClauses]:
    """Manual shoe, hand and automated shoe: the letters are the same in all chapters but one."""
    from_shoe = sections.way(
        sections.automated, "a1", "a2", "bcdef", before=sections.automated_before
    )
    return {
        Way.MANUAL_SHOE: sections.way(sections.manual, "a", "b", "defgh"),
        Way.HAND: sections.way(sections.hand, "a2", "a3", "bcdef"),
        Way.AUTOMATED_SHOE: from_shoe,
        Way.CONTINUOUS_SHOE: from_shoe,
    }


def chapter(sections: Sections, letters: Letters) -> Clauses:
    """A chapter's clauses."""

    def done(*letters: str) -> str:
        return sections.at(sections.completion, *letters, before=sections.later)

    def wagers(letter: str) -> str:
        return sections.at(sections.wagers, letter, before=sections.later)

    def shuffle(*letters: str) -> str:
        return sections.at(sections.shuffle, *letters)

    return Clauses(
        inspect=sections.at(sections.opening, "a"),
        spread=sections.at(sections.opening, "b"),
        wash=sections.at(sections.opening, "c"),
        decks_two=sections.at(sections.opening, "d"),
        shuffle=shuffle("a"),
        wrong_count=shuffle("b"),
        cut=shuffle("d"),
        idle=shuffle("f"),
        deck_age=sections.at(sections.opening - 1, "c"),
        late=wagers(letters.late),
        abandoned=wagers(letters.abandoned),
        boxes=wagers(letters.boxes),
        ways=ways(sections),
        examine=done("a"),
        collect_folds=done(*letters.collect_folds),
        reveal=done(*letters.reveal),
        turn_up=done(*letters.turn_up),
        discard=done(*letters.discard),
        award_checks=tuple(done("e", letter) for letter in letters.award_checks),
        envy=done(*letters.envy) if letters.envy else "",
        hand_bonus=tuple(done(letters.hand_bonus, number) for number in "123")
        if letters.hand_bonus
        else (),
        talking=done(letters.talking) if letters.talking else "",
        continuous=shuffle(letters.continuous) if letters.continuous else "",
    )
