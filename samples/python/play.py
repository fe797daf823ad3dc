"""Play one round and show the meters: python play.py ADDRESS SITE TABLE."""

import sys

from table import Refused, Table, Unreachable, open_channel, table_pb2

BET = "five-card-progressive"
HAND = ["Ah", "Ad", "Ac", "Kd", "2s"]
DEALER = ["Qh", "Jd", "9c", "7d", "3s"]
MICROS = 1_000_000


def dollars(micros):
    """An amount to read. Money is never a float."""
    return f"${micros // MICROS:,}.{micros % MICROS // 10_000:02}"


def main(address="127.0.0.1:7400", site="demo", name="table-2"):
    """One player at seat 4 wagers $5 and holds three aces."""
    with open_channel(address) as channel, Table(channel, site, name) as table:
        table.attach()
        table.wait_until_open()
        print("round", table.open_round().round)
        table.place_wagers([table_pb2.Wager(seat=4, bet=BET, amount_micros=5 * MICROS)])
        print("lamp of seat 4 is lit")
        locked = table.lock_out()
        if not locked.collected:
            table.confirm_collection(table.chips_of(locked.wagers))
        hand = table_pb2.SeatHand(seat=4, cards=HAND, fate=table_pb2.FATE_PLAYED)
        for payout in table.settle([hand], DEALER).payouts:
            print(f"seat {payout.seat}: {payout.hand} pays {dollars(payout.amount_micros)}")
        frame = next(iter(table.watch_meters()))
        for link in frame.links:
            for meter in link.meters:
                print(f"{link.title}: {dollars(meter.amount_micros)}")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (Refused, Unreachable) as problem:
        sys.exit(f"not finished: {problem}")
