"""Who sits at a table: what the engine asks of a player, and players that a seed makes.

A simulated player's decisions depend on the seed, the player and the round alone, never on who else
plays. Most play as a book would; a share of them bets on the side, and some bet too late.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Protocol

from msgspec import Struct, field

from jackpot.core.config import BaseTerms
from jackpot.rules.base_game import is_side_bet, option_value, posted
from jackpot.rules.cards import rank_of
from jackpot.rules.contest import TwoHands
from jackpot.rules.rankings import ACE
from table_client.table.games.model import Ask, Game, Times, View
from table_client.table.ports import Conduct, LinkedBet
from table_client.table.randomness import RandomStream, seeded

PERCENT = 100
USUAL_PLAYERS = 4  # at a table, unless its command line says otherwise


class Offer(Struct, frozen=True):
    """What can be wagered in a round."""

    game: Game
    terms: BaseTerms
    linked: Mapping[str, LinkedBet]
    round: int


class Wagers(Struct, frozen=True):
    """What a player puts down."""

    layout: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    linked: tuple[str, ...] = ()
    no_chip: tuple[str, ...] = ()  # of those linked: a lamp that was lit without a chip


class Player(Protocol):
    """Decides for a seat."""

    @property
    def key(self) -> str:
        """Who it is; one person may play two boxes."""

    @property
    def account(self) -> str:
        """The game account that electronic wagers come from; empty: none."""

    def wagers(self, offer: Offer) -> Wagers:
        """Before "no more bets"."""

    def late(self, offer: Offer) -> Wagers:
        """What the player tries to add after "no more bets"."""

    def decide(self, game: Game, ask: Ask, view: View) -> Times:
        """How many times the wager asked about; 0 declines."""

    def conduct(self) -> Conduct | None:
        """What the player does, once dealt in, that the rules forbid."""

    def set_hands(self, game: Game, cards: tuple[str, ...]) -> TwoHands:
        """The two hands of Pai Gow Poker."""

    def surrenders(self, hands: TwoHands) -> bool:
        """Whether the player gives a Pai Gow wager up unseen."""

    def voids(self, exposed: tuple[str, ...]) -> bool:
        """Whether the player voids a hand of which cards were exposed."""


class Habits(Struct, frozen=True):
    """How often a simulated player does what, in percent."""

    side_bets: int = 40
    progressive: int = 60
    late: int = 5
    alone: int = 10  # only a side bet, where that is allowed
    leaves: int = 0
    talks: int = 0
    surrenders: int = 0


class SimulatedPlayer:
    """A player made of a seed."""

    def __init__(
        self, key: str, seed: str, habits: Habits | None = None, account: str = ""
    ) -> None:
        self._key = key
        self.account = account
        self._seed = seed
        self._habits = habits or Habits()
        self._draws = seeded(seed, "player", key)

    @property
    def key(self) -> str:
        """Who it is."""
        return self._key

    def wagers(self, offer: Offer) -> Wagers:
        """One to four times the minimum on the game, their minimum on side bets."""
        draws = self._draws = seeded(self._seed, "player", self._key, offer.round)
        game, terms = offer.game, offer.terms
        unit = min(terms.minimum_micros * (1 + draws.below(4)), terms.maximum_micros)
        side = {bet.id: bet for bet in game.rule.bets if is_side_bet(bet) and terms.wager(bet.id)}
        tied = option_value(game.rule, terms, "pair-plus") not in ("", "alone")
        alone = [bet for bet in game.alone if bet in side] if self._does("alone", draws) else []
        required = (*alone[:1],) if alone and not tied else game.required
        layout = dict.fromkeys(required, unit)
        for bet, rule in side.items():
            if self._does("side_bets", draws) and not alone:
                layout[bet] = posted(terms, rule)[0]
        if tied and "pair-plus" in side:
            layout["pair-plus"] = unit
        linked = tuple(bet for bet in offer.linked if self._does("progressive", draws))
        return Wagers(layout, () if alone else linked)

    def late(self, offer: Offer) -> Wagers:
        """Now and then a progressive wager, after the lock-out."""
        late = self._does("late", self._draws)
        return Wagers(linked=tuple(offer.linked)[:1]) if late else Wagers()

    def decide(self, game: Game, ask: Ask, view: View) -> Times:
        """What the game's strategy says."""
        return game.strategy(ask, view)

    def conduct(self) -> Conduct | None:
        """As seldom as the habits say."""
        if self._does("leaves", self._draws):
            return Conduct.LEAVES
        return Conduct.TALKS if self._does("talks", self._draws) else None

    def set_hands(self, game: Game, cards: tuple[str, ...]) -> TwoHands:
        """The house way, which the dealer tells whoever asks."""
        if game.house_way is None:
            raise ValueError(f"{game.name} has no hands to set")
        return game.house_way(cards)

    def surrenders(self, _: TwoHands) -> bool:
        """As seldom as the habits say."""
        return self._does("surrenders", self._draws)

    def voids(self, exposed: tuple[str, ...]) -> bool:
        """Unless an ace or the joker is among the cards that were seen."""
        return not any(rank_of(card) == ACE for card in exposed)

    def _does(self, habit: str, draws: RandomStream) -> bool:
        share: int = getattr(self._habits, habit)
        return draws.below(PERCENT) < share
