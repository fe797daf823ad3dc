"""One controller for several houses of a group, on one store."""

import asyncio
import subprocess
import sys
from pathlib import Path

import grpc
import pytest
from click.testing import CliRunner
from grpc.aio import AioRpcError

from jackpot.auth.gate import Gate
from jackpot.cli.main import main
from jackpot.core.reasons import Reason
from jackpot.engine import Engine
from jackpot.rules.hands import names
from jackpot.rules.site import load_site
from jackpot.server.controller import Controller
from jackpot.store.opening import Address, journal_opener
from jackpot.verify import verify
from jackpot.wire.request_id import new_request_id
from jackpot.wire.v1 import meter_pb2, meter_pb2_grpc, table_pb2, table_pb2_grpc
from tests.auth.secured import Secured
from tests.e2e.process import READY
from tests.server.house import SITE, free_port, info_of, site_text, status_of

SITES = ("east", "north", "west")


def write_sites(folder: Path) -> list[Path]:
    """A site file for each house, alike but for its name."""
    paths = []
    for site in SITES:
        path = folder / f"{site}.toml"
        path.write_text(site_text().replace(f'id = "{SITE}"', f'id = "{site}"'))
        paths.append(path)
    return paths


def tables(channel: grpc.aio.Channel) -> "table_pb2_grpc.TableServiceAsyncStub":
    """What tables call."""
    stub: table_pb2_grpc.TableServiceAsyncStub = table_pb2_grpc.TableServiceStub(channel)
    return stub


def meters(channel: grpc.aio.Channel) -> "meter_pb2_grpc.MeterServiceAsyncStub":
    """What signs call."""
    stub: meter_pb2_grpc.MeterServiceAsyncStub = meter_pb2_grpc.MeterServiceStub(channel)
    return stub


async def open_round(channel: grpc.aio.Channel, site: str) -> int:
    """Attach a site's table and open a round; its sequence."""
    request = table_pb2.AttachRequest(site=site, table="t4", request_id=new_request_id())
    epoch = (await tables(channel).Attach(request)).epoch
    which = table_pb2.CommandId(site=site, table="t4", epoch=epoch, number=1)
    opening = table_pb2.OpenRoundRequest(id=which, command=table_pb2.OpenRound())
    return (await tables(channel).OpenRound(opening)).sequence


async def test_houses_are_served_side_by_side(tmp_path: Path, store: Address) -> None:
    """Each has its own journal and numbers, whoever else is served there."""
    sites = [load_site(path) for path in write_sites(tmp_path)]
    engine = Engine(journal_opener(store), names, sites=SITES, writers=2)
    controller = Controller(engine, sites[0], None, *sites[1:])
    address = await controller.start("127.0.0.1:0")
    async with grpc.aio.insecure_channel(address) as channel:
        sequences = await asyncio.gather(*(open_round(channel, site) for site in SITES))
        assert len(set(sequences)) == 1
        listed = await meters(channel).ListSites(meter_pb2.ListSitesRequest())
        assert list(listed.sites) == list(SITES)
    await controller.stop()
    report = verify(store)
    assert report.ok
    assert [site.site for site in report.sites] == list(SITES)


async def test_a_house_without_its_site_file_is_not_served(tmp_path: Path, store: Address) -> None:
    """What another house has in the store is neither changed nor paid by this controller."""
    sites = [load_site(path) for path in write_sites(tmp_path)]
    engine = Engine(journal_opener(store), names, sites=SITES[:2])
    both = Controller(engine, sites[0], None, sites[1])
    await both.start("127.0.0.1:0")
    await both.stop()
    before = verify(store, site=SITES[0])
    alone = Controller(Engine(journal_opener(store), names, sites=SITES[1:2]), sites[1])
    address = await alone.start("127.0.0.1:0")
    async with grpc.aio.insecure_channel(address) as channel:
        with pytest.raises(AioRpcError) as caught:
            await open_round(channel, SITES[0])
        assert info_of(status_of(caught.value)).reason == Reason.UNKNOWN_SITE
        assert await open_round(channel, SITES[1])
    await alone.stop()
    assert verify(store, site=SITES[0]) == before


async def test_a_certificate_is_good_for_its_own_house_only(tmp_path: Path) -> None:
    """A table of one house can't act for another that the same controller serves."""
    sites = [load_site(path) for path in write_sites(tmp_path)]
    secured = Secured(tmp_path)
    engine = Engine(journal_opener(tmp_path / "data"), names, sites=SITES)
    controller = Controller(engine, sites[0], Gate(secured.files(), *SITES), *sites[1:])
    secured.address = await controller.start("127.0.0.1:0")
    async with secured.channel(secured.identity("table", "t4", site="west")) as channel:
        await open_round(channel, "west")
        listed = await meters(channel).ListSites(meter_pb2.ListSitesRequest())
        assert list(listed.sites) == ["west"]
        for attempt in (
            open_round(channel, "east"),
            meters(channel).ListMeters(meter_pb2.ListMetersRequest(site="east")),
            meters(channel).WatchMeters(meter_pb2.WatchMetersRequest(site="east")).read(),
            _play(channel, "east"),
        ):
            with pytest.raises(AioRpcError) as caught:
                await attempt
            assert info_of(status_of(caught.value)).reason == Reason.NOT_ALLOWED
    await controller.stop()


async def _play(channel: grpc.aio.Channel, site: str) -> None:
    call = tables(channel).Play()
    command = table_pb2.PlayCommand(number=1, open_round=table_pb2.OpenRound())
    await call.write(table_pb2.PlayRequest(site=site, table="t4", epoch=1, commands=[command]))
    await call.read()
    await call.read()


@pytest.mark.process
def test_serve_takes_several_site_files(tmp_path: Path, store: Address) -> None:
    """Given again, --site adds a house; the same house twice is a mistake."""
    paths = write_sites(tmp_path)
    serve = [sys.executable, "-m", "jackpot", "serve", "--fronts", "0", "--store", str(store)]
    serve += ["--grpc", f"127.0.0.1:{free_port()}"]
    files = [option for path in paths for option in ("--site", str(path))]
    with subprocess.Popen([*serve, *files], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        process.terminate()
    assert READY.match(line), line
    assert "east,north,west" in line
    code, error = refusal(store, *files, "--site", str(paths[0]))
    assert (code, "have the same site id" in error) == (2, True)


def serves(store: Address, *options: str) -> bool:
    """Whether a controller starts; it is stopped at once."""
    serve = [
        sys.executable,
        "-m",
        "jackpot",
        "serve",
        "--fronts",
        "0",
        "--store",
        str(store),
        *options,
    ]
    serve += ["--grpc", f"127.0.0.1:{free_port()}"]
    with subprocess.Popen(serve, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        process.terminate()
    return bool(READY.match(line))


def refusal(store: Address, *options: str) -> tuple[int, str]:
    """Try to serve, in this process; the exit code and the line that says why not."""
    args = ["serve", "--store", str(store), "--grpc", f"127.0.0.1:{free_port()}", *options]
    result = CliRunner().invoke(main, args)
    assert result.stdout == ""
    (line,) = (each for each in result.stderr.splitlines() if each.startswith("Error: "))
    return result.exit_code, line


async def begin(store: Address, *paths: str) -> None:
    """Begin houses in a store, as a controller's start does."""
    sites = [load_site(Path(path)) for path in paths]
    engine = Engine(journal_opener(store), names, sites=[site.id for site in sites])
    controller = Controller(engine, sites[0], None, *sites[1:])
    await controller.start("127.0.0.1:0")
    await controller.stop()


def sites_in(store: Address) -> list[str]:
    """Which sites a store holds."""
    return [site.site for site in verify(store).sites]


@pytest.mark.process
def test_a_changed_id_begins_no_second_site(tmp_path: Path, store: Address) -> None:
    """What the journal holds, what the file says and what to do, in one line; nothing is written.

    Another site is begun where it is asked for by its id, and then served as any other.
    """
    east, north, _ = (str(path) for path in write_sites(tmp_path))
    asyncio.run(begin(store, east))
    assert refusal(store, "--site", north) == (
        1,
        (
            "Error: the store holds east, but the site file names north; nothing was written. "
            "If the id was changed, set it back; to start north as a new site, add --new-site north"
        ),
    )
    assert sites_in(store) == ["east"]
    code, error = refusal(store, "--site", north, "--new-site", "south")
    assert (code, "no site file has this id" in error) == (2, True)
    assert serves(store, "--site", north, "--new-site", "north")
    assert sites_in(store) == ["east", "north"]
    assert serves(store, "--site", east)
    assert serves(store, "--site", north)


@pytest.mark.process
def test_a_site_joins_those_that_are_served(tmp_path: Path, store: Address) -> None:
    """Where every site of the store is served, a further site file is no changed id."""
    east, north, west = (str(path) for path in write_sites(tmp_path))
    asyncio.run(begin(store, east))
    assert serves(store, "--site", east, "--site", north)
    code, error = refusal(store, "--site", east, "--site", west)
    assert (code, "the store holds east, north, but the site file names west" in error) == (1, True)
    assert sites_in(store) == ["east", "north"]


def test_a_demo_stays_out_of_a_houses_journal(tmp_path: Path) -> None:
    """Its directory is its own: no demo site is seeded beside a real one."""
    data = tmp_path / "data"
    east = str(write_sites(tmp_path)[0])
    asyncio.run(begin(data, east))
    result = CliRunner().invoke(main, ["demo", "--rounds", "1", "--data", str(data)])
    assert (result.exit_code, sites_in(data)) == (1, ["east"])
    assert result.stderr == (
        f"Error: {data} holds the journal of east; nothing was written. "
        "To start a demo, choose an empty directory\n"
    )
