"""Play one round and show the meters: python play.py ADDRESS SITE TABLE."""

import sys

import grpc
from table import Table, table_pb2

BET = "five-card-progressive"
DOLLARS = 5
HAND = ["Ah", "Ad", "Ac", "Kd", "2s"]
DEALER = ["Qh", "Jd", "9c", "7d", "3s"]


def main(address, site, name):
    """One player at seat 4 wagers $5 and holds three aces."""
    with grpc.insecure_channel(address) as channel:
        table = Table(channel, site, name)
        table.attach()
        table.wait_until_open()
        print("round", table.open_round().round)
        wager = table_pb2.Wager(seat=4, bet=BET, amount_micros=DOLLARS * 1_000_000)
        table.place_wagers([wager])
        print("lamp of seat 4 is lit")
        table.lock_out()
        table.confirm_collection({BET: 1})
        hand = table_pb2.SeatHand(seat=4, cards=HAND, fate=table_pb2.FATE_PLAYED)
        for payout in table.settle([hand], DEALER).payouts:
            print(f"seat {payout.seat}: {payout.hand} pays ${payout.amount_micros / 1e6:,.2f}")
        frame = next(iter(table.watch_meters()))
        for link in frame.links:
            for meter in link.meters:
                print(f"{link.title}: ${meter.amount_micros / 1e6:,.2f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
