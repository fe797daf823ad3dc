"""Play the rounds that the conformance kit asks for.

Run this in the folder of under_test.py; PROJECT is the project's folder:
PROJECT/.venv/bin/jackpot-emulator conform -- .venv/bin/python under_test.py
"""

import os

from table import Refused, Table, Unreachable, open_channel, table_pb2

from conform.v1 import conform_pb2, conform_pb2_grpc


def kit_of(table):
    """A stub for the kit, which answers at the controller's address."""
    return conform_pb2_grpc.ConformServiceStub(table.channel)


def play(table, kit, round_):
    """Play one round as the kit asks."""
    # The kit's request stands for the person who tells a fenced client to attach.
    if round_.attach or not table.attached:
        table.attach()
    table.wait_until_open()
    table.open_round()
    table.place_wagers(round_.wagers)
    show(table, kit, round_.wagers)
    locked = table.lock_out()
    if round_.irregularity and not round_.collected:
        table.void_round(round_.irregularity)
        return
    if not locked.collected:
        table.confirm_collection(table.chips_of(round_.wagers))
    if round_.irregularity and table.ask_floor_to_void(round_.irregularity):
        return
    table.settle(round_.hands, round_.dealer)


def show(table, kit, wagers):
    """Tell the kit which lamps are lit."""
    lit = [table_pb2.PlacedWager(seat=wager.seat, bet=wager.bet) for wager in wagers]
    kit.ShowLamps(conform_pb2.ShowLampsRequest(table=table.table, lit=lit))


def main():
    """Play rounds until the kit has seen enough."""
    known = os.environ
    files = [known.get(name) for name in ("JACKPOT_CA", "JACKPOT_CERT", "JACKPOT_KEY")]
    with (
        open_channel(known["JACKPOT_ADDRESS"], *files) as channel,
        Table(channel, known["JACKPOT_SITE"], known["JACKPOT_TABLE"]) as table,
    ):
        kit = kit_of(table)
        asking = conform_pb2.NextRoundRequest(table=table.table)
        while not (round_ := kit.NextRound(asking, wait_for_ready=True)).done:
            try:
                play(table, kit, round_)
            except (Refused, Unreachable) as problem:
                print("not finished:", problem)
            show(table, kit, [])


if __name__ == "__main__":
    main()
