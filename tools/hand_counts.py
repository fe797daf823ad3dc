"""Count the hands of every paytable by enumeration, and write the counts that odds are shown by."""

import sys

import msgspec

from jackpot.odds.counting import tally
from jackpot.rules.chances import COUNTS, HIGHER_OF_TWO_KEY, Tally, is_counted, tally_key
from jackpot.rules.loader import rules
from tools.odds.higher_of_two import tally_higher_of_two


def keys() -> list[str]:
    """Every tally that the odds of some paytable need."""
    return sorted(
        {
            tally_key(rule, bet, paytable.ranking or bet.ranking)
            for rule in rules().values()
            for bet in rule.bets
            if is_counted(bet)
            for paytable in bet.paytables
        }
    )


def counted(key: str) -> Tally:
    """A tally, counted now."""
    if key == HIGHER_OF_TWO_KEY:
        return tally_higher_of_two()
    ranking, _, dealt = key.partition("/")
    return tally(ranking, int(dealt))


def _lines(key: str) -> str:
    """A tally with a line for each group of hands, most hands first."""
    found = counted(key)
    groups = sorted(found.groups, key=lambda group: (-group[1], group[0]))
    rows = ",\n".join(f"  {msgspec.json.encode(group).decode()}" for group in groups)
    return f'"{key}": {{"total": {found.total}, "groups": [\n{rows}]}}'


def main() -> int:
    """Write the file anew."""
    COUNTS.write_text("{\n" + ",\n".join(map(_lines, keys())) + "\n}\n", "utf-8")
    print(f"wrote {COUNTS}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
