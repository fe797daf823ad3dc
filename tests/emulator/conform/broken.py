"""Clients that break the contract, each in its own way: the sample, spoiled in one place.

python broken.py FOLDER-OF-THE-SAMPLE KIND
"""

import sys
import time
from typing import Any

sys.path.insert(0, sys.argv[1])

import table as sample  # type: ignore[import-not-found]
import under_test  # type: ignore[import-not-found]

RETRIES = 3
attach, command, play = sample.Table.attach, sample.Table._command, under_test.play
read_refusal = sample.read_refusal


def lights_early() -> None:
    """Lamps are lit when the wagers are sent, not when they are accepted."""

    def place_wagers(table: Any, wagers: Any) -> Any:
        under_test.show(table, under_test.kit_of(table), wagers)
        return command(table, "PlaceWagers", sample.table_pb2.PlaceWagers(wagers=wagers))

    sample.Table.place_wagers = place_wagers


def numbers_from_zero() -> None:
    """The first command is number 0."""

    def attach_and_count_from_zero(table: Any) -> Any:
        answer = attach(table)
        table.number = -1
        return answer

    sample.Table.attach = attach_and_count_from_zero


def renumbers() -> None:
    """A command that is sent again gets a new number."""

    def send(table: Any, rpc: str, message: Any) -> Any:
        for _ in range(RETRIES):
            table.number += 1
            which = sample.table_pb2.CommandId(
                site=table.site, table=table.table, epoch=table.epoch, number=table.number
            )
            request = getattr(sample.table_pb2, f"{rpc}Request")(id=which, command=message)
            try:
                return getattr(table._stub, rpc)(request, timeout=sample.CALL_TIMEOUT_S)
            except sample.grpc.RpcError as error:
                refusal = sample.read_refusal(error)
                if not refusal.again:
                    raise sample.Refused(refusal, error.details()) from error
        raise sample.Unreachable("gave up")

    sample.Table._command = send


def ignores_fencing() -> None:
    """After FENCED it tries with the same epoch again."""

    def send(table: Any, rpc: str, message: Any) -> Any:
        for _ in range(RETRIES):
            try:
                return command(table, rpc, message)
            except sample.Refused as refusal:
                if refusal.reason != "FENCED":
                    raise
        raise sample.Unreachable("gave up")

    sample.Table._command = send


def opens_early() -> None:
    """It opens the next round whether it may or not."""
    sample.Table.wait_until_open = lambda _: None


def retries_everything() -> None:
    """A command that was refused for good is sent again as the next one."""

    def send(table: Any, rpc: str, message: Any) -> Any:
        for _ in range(RETRIES):
            try:
                return command(table, rpc, message)
            except sample.Refused:
                pass
        raise sample.Unreachable("gave up")

    sample.Table._command = send


def forgets_answers() -> None:
    """It attaches as if it had never been told anything."""

    def attach_without_a_word(table: Any) -> Any:
        table.heard = sample.table_pb2.Acknowledged()
        return attach(table)

    sample.Table.attach = attach_without_a_word


def settles_meanwhile() -> None:
    """It calls the floor, and does not wait for the answer."""

    def call_and_go_on(table: Any, irregularity: str) -> bool:
        asked = sample.table_pb2.CallFloor(
            act=sample.table_pb2.FLOOR_ACT_VOID_ROUND,
            round=table.heard.round,
            irregularity=irregularity,
        )
        command(table, "CallFloor", asked)
        return False

    sample.Table.ask_floor_to_void = call_and_go_on


def disobeys() -> None:
    """What the floor declines, it takes for approved."""
    ask = sample.Table.ask_floor_to_void
    sample.Table.ask_floor_to_void = lambda table, irregularity: ask(table, irregularity) or True


def knocks_for_ever() -> None:
    """A refused certificate is a broken connection to it."""

    def read(error: Any) -> Any:
        refusal = read_refusal(error)
        return refusal._replace(again=refusal.again or refusal.reason == "UNAUTHENTICATED")

    sample.read_refusal = read
    sample.LONGEST_WAIT_S, sample.DEADLINE_S = 0.05, 5.0


def plays_twice() -> None:
    """It plays every round that it is given once more, from the opening on."""

    def play_and_play_again(table: Any, kit: Any, round_: Any) -> None:
        play(table, kit, round_)
        under_test.show(table, kit, [])
        round_.attach = False
        play(table, kit, round_)

    under_test.play = play_and_play_again


def withdraws_call() -> None:
    """It calls the floor, and takes the call back while a floorperson is on the way."""

    def call_and_withdraw(table: Any, irregularity: str) -> bool:
        asked = sample.table_pb2.CallFloor(
            act=sample.table_pb2.FLOOR_ACT_VOID_ROUND,
            round=table.heard.round,
            irregularity=irregularity,
        )
        call = command(table, "CallFloor", asked).call
        time.sleep(0.25)  # the floor looks every 0.02 s, and comes after 0.5 s
        command(table, "WithdrawCall", sample.table_pb2.WithdrawCall(call=call))
        time.sleep(1.0)
        return False

    sample.Table.ask_floor_to_void = call_and_withdraw


def voids_then_settles() -> None:
    """It settles a round that it has voided."""

    def play_and_void(table: Any, kit: Any, round_: Any) -> None:
        lock_out = table.lock_out
        table.lock_out = lambda: (lock_out(), table.void_round("MISDEALT"))[0]
        table.confirm_collection = lambda _: None
        play(table, kit, round_)

    under_test.play = play_and_void


def keeps_silent() -> None:
    """It sends no heartbeat."""
    sample.Table._beat = lambda table: table._closed.wait()


KINDS = {
    kind.__name__: kind
    for kind in (
        *(lights_early, numbers_from_zero, renumbers),
        *(ignores_fencing, opens_early, retries_everything),
        *(forgets_answers, settles_meanwhile, disobeys, knocks_for_ever),
        *(plays_twice, withdraws_call, voids_then_settles, keeps_silent),
    )
}

if __name__ == "__main__":
    KINDS[sys.argv[2]]()
    under_test.main()
