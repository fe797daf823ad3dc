"""Play one round and show the meters: python play.py ADDRESS SITE TABLE [--pause SECONDS]."""

import argparse
import sys
import time

from table import Refused, Table, Unreachable, open_channel, table_pb2

SEAT = 4
CARDS = ["Ah", "Ad", "Ac", "Kd", "2s", "Qh", "Jd", "9c", "7d", "3s"]  # in the order of the deal
MICROS = 1_000_000


def dollars(micros):
    """An amount as text for people. Money is never a float."""
    return f"${micros // MICROS:,}.{micros % MICROS // 10_000:02}"


def first_wager(config):
    """A wager on the first bet that the table offers, for the link's denomination."""
    link = next(link for link in config.links if link.bets)
    return table_pb2.Wager(seat=SEAT, bet=link.bets[0].bet, amount_micros=link.wager_micros)


def deal(config):
    """The player's cards, the community cards and the dealer's cards, as many as the game deals."""
    cards = iter(CARDS)
    counts = (config.seat_cards, config.community_cards, config.dealer_cards)
    return [[next(cards) for _ in range(count)] for count in counts]


def play(table, pause_s):
    """One player makes one wager, and holds three aces."""

    def say(*words):
        print(*words, flush=True)
        time.sleep(pause_s)  # gives you time to stop the controller or this client

    table.attach()
    table.wait_until_open()
    say("round", table.open_round().round)
    wager = first_wager(table.config)
    table.place_wagers([wager])
    say(f"lamp of seat {SEAT} is lit")
    locked = table.lock_out()
    say("no more bets")
    if not locked.collected:
        table.confirm_collection(table.chips_of([wager]))  # what the dealer has counted
    say("chips are collected")
    own, community, dealer = deal(table.config)
    hand = table_pb2.SeatHand(seat=SEAT, cards=own, fate=table_pb2.FATE_PLAYED)
    for payout in table.settle([hand], dealer, community).payouts:
        print(f"seat {payout.seat}: {payout.hand} pays {dollars(payout.amount_micros)}")
    frame = next(iter(table.watch_meters()))
    for link in frame.links:
        for meter in link.meters:
            print(f"{link.title}, {meter.level}: {dollars(meter.amount_micros)}")


def main():
    """Read the command line, and play."""
    parser = argparse.ArgumentParser(description="Play one round and show the meters.")
    parser.add_argument("address", nargs="?", default="127.0.0.1:7400")
    parser.add_argument("site", nargs="?", default="demo")
    parser.add_argument("table", nargs="?", default="table-2")
    parser.add_argument(
        "--pause", type=float, default=0.0, metavar="SECONDS", help="wait after each step"
    )
    said = parser.parse_args()
    with open_channel(said.address) as channel, Table(channel, said.site, said.table) as table:
        play(table, said.pause)


if __name__ == "__main__":
    try:
        main()
    except (Refused, Unreachable) as problem:
        sys.exit(f"not finished: {problem}")
