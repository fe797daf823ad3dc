"""Streams as HTTP sees them: the latest value, once encoded, to a bounded number of watchers."""

import asyncio
import gc
import socket
import tracemalloc
from contextlib import AsyncExitStack
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
import pytest

from jackpot.display import push
from jackpot.display.push import Shown as Latest
from jackpot.display.push import Topic
from jackpot.display.web.app import Settings
from tests.display.shown import Shown, ask, open_shown
from tests.engine.pit import eventually


class Value(msgspec.Struct):
    """Something to show."""

    number: int


async def test_a_sign_gets_card_then_frame_then_beats(shown: Shown) -> None:
    """The first events are the paytable and the meters; then the stream beats every second."""
    async with ask(shown.url, "/events/sign/mega") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        assert (await stream.event())["_kind"] == "card"
        frame = await stream.event()
        assert frame["_kind"] == "frame"
        assert [level["amount"] for level in frame["levels"]] == [
            "50,000.00",
            "5,000.00",
            "1,250.00",
        ]
        async with asyncio.timeout(20):
            assert (await stream.event("beat"))["serving"] is True
            assert (await stream.event("beat"))["serving"] is True


@pytest.mark.parametrize("how", ["header", "query"])
async def test_a_sign_resumes_after_what_it_has_seen(shown: Shown, how: str) -> None:
    """A browser that comes back is not sent what it has; what is newer it is sent."""
    async with ask(shown.url, "/events/sign/five") as stream:
        frame = await stream.event("frame")
    seen = frame["_id"]
    path = "/events/sign/five" + (f"?after={seen}" if how == "query" else "")
    headers = {"Last-Event-ID": seen} if how == "header" else {}
    async with ask(shown.url, path, headers=headers) as stream:
        assert (await stream.event())["_kind"] == "card"
        assert (await stream.event())["_kind"] == "beat"
        dealer = await shown.house.dealer("t4")
        await dealer.collected(1)
        newer = await stream.event("frame")
        assert newer["sequence"] > frame["sequence"]
        assert newer["levels"][0]["amount"] == "10,000.21"


async def test_past_the_limit_there_is_no_place(tmp_path: Path) -> None:
    """The watcher after the last place gets 503 and when to come back; a place left is free."""
    async with open_shown(tmp_path, Settings(max_watchers=2)) as shown, AsyncExitStack() as held:
        for _ in range(2):
            stream = await held.enter_async_context(ask(shown.url, "/events/sign/five"))
            await stream.event("frame")
        async with ask(shown.url, "/events/sign/five") as refused:
            assert refused.status == 503
            assert refused.headers["retry-after"] == "5"
        await held.aclose()
        for _ in range(100):
            async with ask(shown.url, "/events/sign/five") as again:
                if again.status == 200:
                    return
            await asyncio.sleep(0.05)
        raise AssertionError("the places were not freed")


async def test_a_value_is_encoded_once_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten watchers of one topic cost one look and one encoding a change."""
    encoded: list[object] = []
    looks = 0
    encode = push.encode_json

    def counted(value: object) -> bytes:
        encoded.append(value)
        return encode(value)

    async def look() -> Latest:
        nonlocal looks
        looks += 1
        return Latest("1", Value(1))

    monkeypatch.setattr(push, "encode_json", counted)
    topic = Topic("value", look, 0.05, lambda: True)
    watchers = [topic.watch() for _ in range(10)]
    events = [await anext(watcher) for watcher in watchers]
    assert all(event is events[0] for event in events)
    assert [value for value in encoded if isinstance(value, Value)] == [Value(1)]
    assert looks == 1
    for watcher in watchers:
        await watcher.aclose()
    await asyncio.sleep(0.15)
    before = looks
    await asyncio.sleep(0.2)
    assert looks == before, "nobody watches, nobody looks"


async def test_a_slow_watcher_skips_what_lies_between() -> None:
    """Who comes back late gets the latest value and none of those before it."""
    number = 0

    async def look() -> Latest:
        return Latest(str(number), Value(number))

    topic = Topic("value", look, 0.005, lambda: True)
    watcher = topic.watch()
    await anext(watcher)
    for number in range(1, 20):  # noqa: B007 - the look reads it
        await asyncio.sleep(0.01)
    event = await anext(watcher)
    assert b'"number":19' in event
    await watcher.aclose()
    topic.close()


async def test_a_stuck_browser_holds_little(shown: Shown, monkeypatch: pytest.MonkeyPatch) -> None:
    """A browser that never reads costs a bounded amount of memory, and is let go after a while."""
    monkeypatch.setattr("jackpot.display.push.STUCK_S", 0.6)
    where = urlsplit(shown.url)
    stuck = socket.create_connection((where.hostname, where.port))
    stuck.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    stuck.sendall(f"GET /events/ops HTTP/1.1\r\nHost: {where.netloc}\r\n\r\n".encode())
    pages = shown.display._pages
    await eventually(lambda: bool(pages._topics))
    (topic,) = pages._topics.values()
    gc.collect()
    tracemalloc.start()
    base, _ = tracemalloc.get_traced_memory()
    for number in range(400):
        topic._id, topic._event = str(number), b"x" * 20_000
        topic._publish()
        await asyncio.sleep(0.001)
    gc.collect()
    now, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert now - base < 1_000_000, "400 events of 20 kB were not kept"
    await eventually(lambda: not pages._places._streams)
    stuck.close()


async def test_a_drain_lets_watchers_go(tmp_path: Path) -> None:
    """When the controller stops, streams end by themselves and the stop is quick."""
    async with open_shown(tmp_path) as shown:
        async with ask(shown.url, "/events/sign/five") as stream:
            await stream.event("frame")
            async with asyncio.timeout(10):
                await shown.display.stop()
                assert (await stream.reader.read()).endswith(b"0\r\n\r\n"), "a proper end"
        shown.display.stop = _nothing  # type: ignore[method-assign]  # it has stopped


async def _nothing() -> None:
    pass


async def test_unknown_links_and_tables_are_404(shown: Shown) -> None:
    """What does not exist is said not to exist."""
    for path in ("/sign/nope", "/events/sign/nope", "/table/nope", "/events/table/nope", "/nope"):
        assert (await shown.get(path))[0] == 404, path
    assert (await shown.get("/api/history/five/nope"))[0] == 404
    assert (await shown.get("/api/history/five/main?range=year"))[0] == 400


async def test_in_a_crowd_only_what_is_urgent_goes_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With many watchers increments are rarer; what can't wait is sent at the next look."""
    monkeypatch.setattr(push, "SLOWEST_S", 60.0)
    number, urgent = 0, "calm"

    async def look() -> Latest:
        return Latest(f"{number}{urgent}", Value(number), urgent)

    topic = Topic("value", look, 0.02, lambda: True)
    watcher = topic.watch()
    assert b'"number":0' in await anext(watcher)
    topic.watchers += 1_000_000
    number = 1
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.3):
            await anext(watcher)
    topic.watchers -= 1_000_000
    await watcher.aclose()
    topic.close()

    topic = Topic("value", look, 0.02, lambda: True)
    watcher = topic.watch()
    await anext(watcher)
    topic.watchers += 1_000_000
    number, urgent = 2, "a hit"
    async with asyncio.timeout(20):
        assert b'"number":2' in await anext(watcher)
    await watcher.aclose()
    topic.close()
