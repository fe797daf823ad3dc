"""A watcher whose certificate is no longer good ends, and shows nothing as if it were new."""

import asyncio
import logging
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from jackpot.cli.main import main
from jackpot.display.feeds.site_feed import SiteFeed
from jackpot.wire.identity import Identity
from jackpot.wire.refusals import RefusedError
from table_client.client import TableClient
from tests.auth.secured import Secured, secured
from tests.server.house import SITE


def options(house: Secured, identity: Identity) -> list[str]:
    """How a command says where and who."""
    return [
        *("--controller", house.address),
        *("--cert", str(identity.certificate), "--ca", str(identity.authority)),
    ]


async def end(house: Secured, identity: Identity, how: str) -> None:
    """Take a certificate's worth away."""
    if how == "revoked":
        house.revoke(identity)
    else:
        house.gate.clock = lambda: time.time() + 2 * 86_400


@pytest.mark.parametrize("how", ["revoked", "expired"])
async def test_a_feed_ends_and_says_why(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, how: str
) -> None:
    """What signs and screens are fed by asks no more, and is not "serving"."""
    caplog.set_level(logging.WARNING)
    async with secured(tmp_path) as house:
        identity = house.identity("sign", "lobby")
        async with house.channel(identity) as channel:
            feed = SiteFeed(channel, SITE)
            await feed.start()
            await feed.first(10)
            assert feed.serving
            await end(house, identity, how)
            async with asyncio.timeout(15):
                refusal = await feed.refused()
            assert refusal.code == "UNAUTHENTICATED"
            assert not feed.serving
            assert feed.trouble is refusal
            denials = sum("denied" in record.getMessage() for record in caplog.records)
            await asyncio.sleep(1.5)  # in which it would have asked again several times
            assert sum("denied" in r.getMessage() for r in caplog.records) == denials
            assert denials <= 4  # one for each stream and question that was under way
            await feed.stop()
    named = [
        r.getMessage() for r in caplog.records if '"principal": "sign:lobby"' in r.getMessage()
    ]
    assert named


async def test_a_feed_waits_for_a_controller_that_is_away(tmp_path: Path) -> None:
    """Only a refusal ends it: while nobody answers it goes on."""
    async with secured(tmp_path) as house:
        channel = house.channel(house.identity("sign", "lobby"))
        feed = SiteFeed(channel, SITE)
        await feed.start()
        await feed.first(10)
        refused = asyncio.create_task(feed.refused())
    async with asyncio.timeout(10):
        while feed.serving:  # noqa: ASYNC110 - it turns false behind a stream
            await asyncio.sleep(0.05)
    await asyncio.sleep(1)
    assert not refused.done()
    refused.cancel()
    await feed.stop()
    await channel.close()


@pytest.mark.parametrize("what", ["meters", "table"])
@pytest.mark.parametrize("controllers", [1, 2])
async def test_a_tables_watch_ends(tmp_path: Path, controllers: int, what: str) -> None:
    """Also where there are several controllers to ask, once all have refused."""
    async with secured(tmp_path) as house:
        identity = house.identity("table", "t1")
        channels = [house.channel(identity) for _ in range(controllers)]
        async with TableClient(channels, SITE, "t1") as client:
            if what == "table":
                await client.attach()
            seen: Any = client.watch_table() if what == "table" else client.watch_meters()
            await anext(seen)
            await end(house, identity, "revoked")
            with pytest.raises(RefusedError) as caught:
                async with asyncio.timeout(20):
                    await drain(seen)
        assert caught.value.code == "UNAUTHENTICATED"
        for channel in channels:
            await channel.close()


async def drain(seen: Any) -> None:
    """Read all that comes."""
    async for _ in seen:
        pass


async def run(*command: str) -> Result:
    """A command beside the loop that serves."""
    return await asyncio.to_thread(CliRunner().invoke, main, list(command))


async def test_jackpot_watch_ends_with_one_clear_line(tmp_path: Path) -> None:
    """Exit code 1, and the reason; it does not go on with figures of before."""
    async with secured(tmp_path) as house:
        identity = house.identity("operations", "olga")
        watching = asyncio.create_task(run("watch", "--json", *options(house, identity)))
        await asyncio.sleep(3)
        assert not watching.done()
        await end(house, identity, "revoked")
        async with asyncio.timeout(20):
            result = await watching
        assert result.exit_code == 1
        assert (
            "The certificate is revoked: ask the authority's administrator for a new one."
            in result.output
        )
        assert "Traceback" not in result.output
