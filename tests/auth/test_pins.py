"""PINs: what is kept of them, who may set one, and how rarely they can be guessed."""

import asyncio
import datetime as dt
import os
import stat
from pathlib import Path
from typing import Any

import grpc
import pytest

from jackpot.auth import pins as module
from jackpot.auth.callers import Actor
from jackpot.auth.pin_file import PinError
from jackpot.auth.pins import (
    ANYWHERE,
    HERE,
    HERE_S,
    MAX_PINS,
    MAX_WAITING,
    MAX_WAITING_HERE,
    PINS,
    PLACE,
    Checked,
    Pins,
    weakness,
)
from jackpot.auth.roles import ACCESS, PIN_ACTS
from jackpot.wire.refusals import RefusedError, from_rpc_error
from jackpot.wire.v1 import pin_pb2, pin_pb2_grpc
from tests.auth.secured import Secured, secured
from tests.server.house import SITE

FLO = Actor("floor:flo", "table games", "floor", serial=1 << 100, site="house", expires_s=9e9)
GOOD = "493817"


class Clock:
    """Seconds that pass as a test says."""

    def __init__(self) -> None:
        self.now_s = 1_000.0

    def __call__(self) -> float:
        """Now."""
        return self.now_s


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hash with as little work as Argon2 can do: the amount of it is tested by itself."""
    from argon2 import PasswordHasher  # noqa: PLC0415

    hasher = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    monkeypatch.setattr(module, "_hasher", lambda: hasher)
    module._nobodys_hash.cache_clear()


def kept(folder: Path, clock: Clock | None = None, fault: str = "") -> Pins:
    """PINs in a folder."""
    return Pins(folder / PINS, lambda _: fault, passed=clock or Clock())


async def try_here(pins: Pins, pin: str, name: str = "flo", place: str = "t1") -> Checked:
    """Type a PIN."""
    return await pins.check("house", name, pin, place)


@pytest.mark.parametrize(
    ("pin", "problem"),
    [
        ("49381", "expected 6 to 12 digits"),
        (GOOD, ""),
        ("493817493817", ""),
        ("4938174938170", "expected 6 to 12 digits"),
        ("49381a", "expected 6 to 12 digits"),
        ("\uff14\uff19\uff13\uff18\uff11\uff17", "expected 6 to 12 digits"),
        ("", "expected 6 to 12 digits"),
        ("111111", "digits in a row"),
        ("123456", "digits in a row"),
        ("890123", "digits in a row"),
        ("654321", "digits in a row"),
        ("121212", "three different digits"),
    ],
)
def test_what_can_be_a_pin(pin: str, problem: str) -> None:
    """Six to twelve digits that are not what anybody would try first."""
    assert problem in weakness(pin)
    assert bool(problem) is bool(weakness(pin))


async def test_a_pin_is_kept_as_a_hash_for_its_owner_only(tmp_path: Path) -> None:
    """The file has Argon2id, mode 0600 and no PIN; another start knows it again."""
    pins = kept(tmp_path)
    await pins.set(FLO, GOOD)
    path = tmp_path / PINS
    text = path.read_text()
    assert GOOD not in text
    assert '"$argon2id$' in text
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert (await try_here(kept(tmp_path), GOOD)).actor == FLO
    path.chmod(0o640)
    with pytest.raises(PinError, match="chmod 600"):
        kept(tmp_path)
    path.chmod(0o600)
    path.write_text(f'[{{"hash": "{GOOD}"')
    with pytest.raises(PinError) as caught:
        kept(tmp_path)
    assert GOOD not in str(caught.value)


def test_the_real_hash_is_expensive(monkeypatch: pytest.MonkeyPatch) -> None:
    """64 MiB and three passes: whoever steals the file guesses slowly."""
    monkeypatch.undo()
    hasher = module._hasher()
    assert (hasher.memory_cost, hasher.time_cost) == (64 << 10, 3)
    assert hasher.type.name == "ID"


async def test_only_the_right_pin_of_the_right_person(tmp_path: Path) -> None:
    """By the full name, or by the short one where it is only one person's."""
    pins = kept(tmp_path)
    await pins.set(FLO, GOOD)
    assert (await try_here(pins, GOOD, "floor:flo")).actor == FLO
    assert (await try_here(pins, "493818")).actor is None
    assert (await try_here(pins, GOOD, "ron")).actor is None
    assert (await pins.check("elsewhere", "flo", GOOD, "t1")).actor is None
    await pins.set(FLO._replace(principal="shift-supervisor:flo"), "582936")
    assert (await try_here(pins, GOOD, "flo")).actor is None
    assert await pins.clear("house", "floor:flo")
    assert not await pins.clear("house", "floor:flo")
    assert (await try_here(pins, GOOD, "floor:flo")).actor is None


async def test_a_pin_ends_with_its_certificate(tmp_path: Path) -> None:
    """It is as good as the certificate that set it."""
    await kept(tmp_path).set(FLO, GOOD)
    pins = kept(tmp_path, fault="revoked")
    assert (await try_here(pins, GOOD)).actor is None
    assert [ended for _, ended in pins.holders("house")] == [True]


async def test_guesses_are_limited_by_person_and_place(tmp_path: Path) -> None:
    """The fifth wrong PIN at a table shuts that person out there for a while, and only there."""
    clock = Clock()
    pins = kept(tmp_path, clock)
    await pins.set(FLO, GOOD)
    await pins.set(FLO._replace(principal="floor:fay"), "582936")
    for left in reversed(range(HERE)):
        assert await try_here(pins, "999998") == Checked(left=left)
    assert (await try_here(pins, GOOD)).wait_s == HERE_S
    assert (await try_here(pins, GOOD, place="t2")).actor == FLO
    assert (await try_here(pins, "582936", "fay")).actor
    clock.now_s += HERE_S
    assert (await try_here(pins, GOOD)).actor == FLO


async def test_a_place_can_try_only_so_many_names(tmp_path: Path) -> None:
    """Names that nobody has count at the place, and cost nobody anything elsewhere."""
    pins = kept(tmp_path)
    await pins.set(FLO, GOOD)
    for number in range(PLACE):
        assert await try_here(pins, GOOD, f"n{number}") == Checked(left=PLACE - number - 1)
    assert (await try_here(pins, GOOD)).wait_s
    assert (await try_here(pins, GOOD, place="t2")).actor == FLO
    assert len(pins._here._failures) == len(pins._anywhere._failures) == 0


async def test_a_pin_can_be_guessed_only_so_often_in_a_day(tmp_path: Path) -> None:
    """From many tables together too; a new PIN begins anew."""
    pins = kept(tmp_path)
    await pins.set(FLO, GOOD)
    for number in range(ANYWHERE):
        left = HERE - 1 - number % HERE
        assert await try_here(pins, "999998", place=f"t{number // HERE}") == Checked(left=left)
    assert (await try_here(pins, GOOD, place="t99")).wait_s
    await pins.set(FLO, "271846")
    assert (await try_here(pins, "271846", place="t99")).actor == FLO


async def test_guesses_at_once_are_no_way_around(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One is compared at a time, off the loop; few wait, the rest are told to."""
    pins = kept(tmp_path)
    await pins.set(FLO, GOOD)
    compared = 0
    at_once = most = 0
    real = module._matches

    def count(hash_: str, pin: str) -> bool:
        nonlocal compared, at_once, most
        compared, at_once = compared + 1, at_once + 1
        most = max(most, at_once)
        try:
            return real(hash_, pin)
        finally:
            at_once -= 1

    monkeypatch.setattr(module, "_matches", count)
    found = await asyncio.gather(*(try_here(pins, "999998") for _ in range(50)))
    assert (compared, sum(each.busy for each in found)) == (MAX_WAITING_HERE, 50 - MAX_WAITING_HERE)
    for _ in range(HERE):
        await asyncio.gather(*(try_here(pins, "999998") for _ in range(50)))
    assert most == 1
    assert compared == HERE
    assert (await try_here(pins, GOOD)).wait_s


async def test_pins_at_one_table_take_no_place_of_another(tmp_path: Path) -> None:
    """However many are typed there: whoever types theirs elsewhere is heard."""
    pins = kept(tmp_path)
    await pins.set(FLO, GOOD)
    flood = [asyncio.ensure_future(try_here(pins, "999998")) for _ in range(50)]
    await asyncio.sleep(0)
    assert (await pins.check(FLO.site, FLO.principal, GOOD, "elsewhere")).actor == FLO
    await asyncio.gather(*flood)
    many = [pins.check(FLO.site, FLO.principal, "999998", f"t{n}") for n in range(50)]
    assert sum(each.busy for each in await asyncio.gather(*many)) == 50 - MAX_WAITING


async def test_controllers_on_one_file_share_what_it_says(tmp_path: Path) -> None:
    """What one sets or takes away is so for the other, and neither undoes what the other did."""
    one, other = kept(tmp_path), kept(tmp_path)
    fay = FLO._replace(principal="floor:fay")
    await one.set(FLO, GOOD)
    await other.set(fay, "582936")
    assert (await try_here(other, GOOD)).actor == FLO
    assert (await try_here(one, "582936", "fay")).actor == fay
    assert await other.clear("house", "floor:flo")
    assert (await try_here(one, GOOD)).actor is None
    assert [pin.principal for pin, _ in one.holders("house")] == ["floor:fay"]
    many = [FLO._replace(principal=f"floor:f{n}") for n in range(20)]
    await asyncio.gather(*((one, other)[n % 2].set(who, GOOD) for n, who in enumerate(many)))
    assert len(kept(tmp_path).holders("house")) == 21


async def test_of_a_file_that_was_spoiled_nobodys_pin_is_good(tmp_path: Path) -> None:
    """Nor is one that others could have written; put right, it is good again."""
    pins = kept(tmp_path)
    await pins.set(FLO, GOOD)
    path = tmp_path / PINS
    path.chmod(0o644)
    assert (await try_here(pins, GOOD)).actor is None
    assert not pins.holders("house")
    with pytest.raises(PinError):
        await pins.clear("house", "floor:flo")
    path.chmod(0o600)
    assert (await try_here(pins, GOOD)).actor == FLO


async def test_who_sets_a_pin_without_end_keeps_nobody_waiting(tmp_path: Path) -> None:
    """Of one person one is set at a time; a PIN that is typed meanwhile waits for that one only."""
    pins = kept(tmp_path)
    await pins.set(FLO, GOOD)
    fay = FLO._replace(principal="floor:fay")
    done: list[str] = []

    async def set_one() -> None:
        try:
            await pins.set(fay, "582936")
        except PinError:
            return
        done.append("set")

    async def type_one() -> None:
        assert (await try_here(pins, GOOD)).actor == FLO
        done.append("typed")

    await asyncio.gather(*(set_one() for _ in range(60)), type_one())
    assert done == ["set", "typed"]


async def test_no_number_of_people_makes_a_guess_forgotten(tmp_path: Path) -> None:
    """Wrong PINs of others do not push those of one person out of what is remembered."""
    pins = kept(tmp_path)
    pins._anywhere.failed("house/floor:flo")
    for number in range(MAX_PINS - 1):
        pins._anywhere.failed(f"house/floor:{number}")
    assert pins._anywhere.left("house/floor:flo") == ANYWHERE - 1


def test_a_pin_does_what_is_the_floors_alone() -> None:
    """Void, validate and reject at a table; never a change of a meter, a payment or a PIN."""
    assert {"OperatorService/ValidatePayout", "OperatorService/VoidTableRound"} <= PIN_ACTS
    assert all(ACCESS[rpc] == {"floor", "shift-supervisor"} for rpc in PIN_ACTS)
    assert not any(rpc.startswith("PinService/") for rpc in PIN_ACTS)


async def call(house: Secured, who: Any, rpc: str, **values: Any) -> Any:
    """A call of PinService; the refusal where it is refused."""
    async with house.channel(who) as channel:
        stub: Any = pin_pb2_grpc.PinServiceStub(channel)
        try:
            request = getattr(pin_pb2, f"{rpc}Request")(site=SITE, **values)
            return await getattr(stub, rpc)(request, timeout=20)
        except grpc.RpcError as error:
            return from_rpc_error(error)


async def test_people_set_their_own_pins(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """With their certificate; operations can take one away; neither log nor journal has any."""
    caplog.set_level("DEBUG")
    async with secured(tmp_path) as house:
        flo, olga = house.identity("floor", "flo"), house.identity("operations", "olga")
        before = await house.journal_head()
        made = await call(house, flo, "SetPin", pin=GOOD)
        assert made.holder.principal == "floor:flo"
        weak: RefusedError = await call(house, flo, "SetPin", pin="112211")
        assert weak.reason == "MALFORMED"
        assert "112211" not in str(weak)
        listed = await call(house, olga, "ListPins")
        assert [each.principal for each in listed.holders] == ["floor:flo"]
        age = dt.datetime.now(dt.UTC) - listed.holders[0].set_time.ToDatetime(dt.UTC)
        assert age < dt.timedelta(minutes=5)
        ron = house.identity("floor", "ron")
        await call(house, ron, "SetPin", pin=GOOD)
        page = await call(house, olga, "ListPins", page_size=1)
        rest = await call(house, olga, "ListPins", page_size=1, page_token=page.next_page_token)
        found = [each.principal for each in (*page.holders, *rest.holders)]
        assert (found, rest.next_page_token) == (["floor:flo", "floor:ron"], "")
        assert (await call(house, ron, "ClearPin")).cleared
        denied: RefusedError = await call(house, ron, "ClearPin", principal="floor:flo")
        assert denied.reason == "NOT_ALLOWED"
        assert denied.metadata["principal"] == "floor:ron"
        assert "operations" in denied.metadata["needs_role"]
        assert (await call(house, olga, "ClearPin", principal="floor:flo")).cleared
        assert not (await call(house, olga, "ListPins")).holders
        assert await house.journal_head() == before
    text = "\n".join(record.getMessage() for record in caplog.records)
    assert GOOD not in text
    assert "112211" not in text
    assert '"login": "PIN set"' in text
    for path in (tmp_path / "data").rglob("*"):
        assert GOOD.encode() not in path.read_bytes()


async def test_what_is_written_is_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bytes first, then the file's new name: a power cut brings no cleared PIN back."""
    synced: list[str] = []
    real = os.fsync

    def fsync(descriptor: int) -> None:
        synced.append(str(Path(f"/proc/self/fd/{descriptor}").readlink()))
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    await kept(tmp_path).set(FLO, GOOD)
    assert synced == [str(tmp_path / f".{PINS}.new"), str(tmp_path)]
