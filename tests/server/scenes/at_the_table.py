"""What a table is refused by the state of its round, or for what its command says."""

from jackpot.core.reasons import Reason
from jackpot.wire.v1 import table_pb2
from tests.server.house import FIVE, NOTHING, ROYALS, House, hands, wager, wagers
from tests.server.scenes.stage import Scenes, placed

SCENES = Scenes()
scene = SCENES.scene


# -- the state of the round -----------------------------------------------------------------------


@scene(Reason.DOCUMENTATION_OPEN)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.settled({1: ROYALS["s"]}, 1)
    await dealer.do("open_round")


@scene(Reason.ROUND_OPEN)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.do("open_round")
    await dealer.do("open_round")


@scene(Reason.NO_ROUND)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.do("lock_out")


@scene(Reason.LOCKED_OUT)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.locked(1)
    await dealer.do("place_wagers", wagers(2))


@scene(Reason.NOT_LOCKED_OUT)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.do("open_round")
    await dealer.do("confirm_collection", table_pb2.ConfirmCollection())


@scene(Reason.ALREADY_COLLECTED)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.collected(1)
    await dealer.do("confirm_collection", table_pb2.ConfirmCollection(chips={FIVE: 1}))


@scene(Reason.NOT_COLLECTED)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.locked(1)
    await dealer.do("settle", hands({}, 1))


@scene(Reason.ALREADY_SETTLED)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.settled({}, 1)
    await dealer.do("settle", hands({}, 1))


@scene(Reason.WRONG_ROUND)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.collected(1)
    await house.operate("VoidTableRound", table="t4", round=2, irregularity="MISDEALT")


@scene(Reason.VOID_BY_FLOOR_ONLY)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.collected(1)
    await dealer.do("void_round", table_pb2.VoidRound(irregularity="MISDEALT"))


@scene(Reason.VOID_TOO_LATE)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    (payout,) = await dealer.settled({1: ROYALS["s"]}, 1)
    await house.operate("ValidatePayout", payout=payout.id, floorperson="Ann")
    await house.operate("VoidTableRound", table="t4", round=1, irregularity="MISDEALT")


@scene(Reason.UNKNOWN_IRREGULARITY)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.do("void_round", table_pb2.VoidRound(irregularity="anything"))


def _call(act: table_pb2.FloorAct.ValueType, word: str, seat: int = 0) -> table_pb2.CallFloor:
    return table_pb2.CallFloor(act=act, round=1, seat=seat, irregularity=word)


@scene(Reason.VOIDS_ALL_HANDS)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.do("call_floor", _call(table_pb2.FLOOR_ACT_VOID_SEAT, "MISDEALT", 1))


@scene(Reason.CALL_OPEN)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.collected(1)
    for _ in range(2):
        await dealer.do("call_floor", _call(table_pb2.FLOOR_ACT_VOID_ROUND, "MISDEALT"))


@scene(Reason.UNKNOWN_CALL)
async def _(house: House) -> None:
    await (await house.dealer("t4")).do("withdraw_call", table_pb2.WithdrawCall(call=1))


@scene(Reason.CALL_CLOSED)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.collected(1)
    await dealer.do("call_floor", _call(table_pb2.FLOOR_ACT_VOID_ROUND, "MISDEALT"))
    for _ in range(2):
        await house.operate("DeclineFloorCall", call=1)


# -- what the command wants -----------------------------------------------------------------------


@scene(Reason.LINK_NOT_IN_SERVICE)
async def _(house: House) -> None:
    dealer = await house.dealer("t3")
    await dealer.do("open_round")
    await dealer.do("place_wagers", wagers(1))


@scene(Reason.WRONG_DENOMINATION)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.do("open_round")
    await dealer.do("place_wagers", wagers(1, dollars=5))


@scene(Reason.DUPLICATE_WAGER)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.do("open_round")
    await dealer.do("place_wagers", wagers(1, 1))


@scene(Reason.TOO_MANY_BOXES)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.do("open_round")
    both = [wager(1, player="Ann"), wager(2, player="Ann")]
    await dealer.do("place_wagers", table_pb2.PlaceWagers(wagers=both))


@scene(Reason.NO_SUCH_WAGER)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.do("open_round")
    await dealer.do("withdraw_wagers", placed(1))


@scene(Reason.COLLECTION_MISMATCH)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.locked(1, 2)
    await dealer.do("confirm_collection", table_pb2.ConfirmCollection(chips={FIVE: 1}))


@scene(Reason.SEAT_NOT_IN_ROUND)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.collected(1)
    await dealer.do("settle", hands({}, 1, 1))


@scene(Reason.HAND_MISSING)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.collected(1, 2)
    await dealer.do("settle", hands({}, 1))


@scene(Reason.WRONG_CARD_COUNT)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.collected(1)
    await dealer.do("settle", hands({1: NOTHING[1][:4]}, 1))


@scene(Reason.NO_SUCH_DECK)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.do("remove_deck", table_pb2.RemoveDeck(back="red"))


@scene(Reason.DUPLICATE_CARD)
async def _(house: House) -> None:
    dealer = await house.dealer("t4")
    await dealer.collected(1, 2)
    await dealer.do("settle", hands({1: NOTHING[2]}, 1, 2))
