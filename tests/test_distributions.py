"""What is released: two distributions without a file in common, each at work in an empty place."""

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from jackpot.signing import make_key, public_path
from jackpot.software import RELEASE, inspect
from tests.e2e.process import ALONE, Process
from tests.server.house import FIVE, SITE

ROOT = Path(__file__).resolve().parent.parent
ROUND = """
import asyncio, sys
import grpc
from jackpot.wire.v1 import table_pb2 as pb
from table_client.client import TableClient, open_channel

async def play(address, site, table):
    async with open_channel(address) as channel, TableClient(channel, site, table) as client:
        await client.attach()
        opened = await client.open_round()
        await client.place_wagers([pb.Wager(seat=3, bet=sys.argv[4], amount_micros=1_000_000)])
        await client.lock_out()
        collected = await client.confirm_collection({sys.argv[4]: 1})
        cards = ["2c", "4d", "6h", "8s", "Tc"]
        done = await client.settle(
            [pb.SeatHand(seat=3, cards=cards, fate=pb.FATE_PLAYED)], ["3c", "5d", "7h", "9s", "Jc"]
        )
        print("round", opened.round, "sequence", done.sequence)

asyncio.run(play(*sys.argv[1:4]))
import importlib.util, jackpot.wire
print("whole" if importlib.util.find_spec("jackpot.core") else "alone")
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both distributions, signed."""
    out = tmp_path_factory.mktemp("dist")
    make_key(out / "release.key")
    command = [sys.executable, "tools/dist.py", str(out), "--key", str(out / "release.key")]
    subprocess.run(command, cwd=ROOT, check=True, timeout=120)
    return out


def wheel(built: Path, name: str) -> Path:
    """The wheel of a distribution."""
    (found,) = built.glob(f"{name}-*.whl")
    return found


def files_of(archive: Path) -> Iterator[str]:
    """The modules and data in a wheel."""
    with zipfile.ZipFile(archive) as archive_file:
        yield from (name for name in archive_file.namelist() if ".dist-info/" not in name)


def test_a_file_belongs_to_one_distribution(built: Path) -> None:
    """Installing or removing one never touches the other's files, and nothing is left out."""
    client = set(files_of(wheel(built, "jackpot_table_client")))
    whole = set(files_of(wheel(built, "jackpot_controller")))
    assert client.isdisjoint(whole)
    tracked = subprocess.run(
        ["git", "ls-files", "jackpot", "table_client", "emulator"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert client | whole == {*tracked.stdout.split(), f"jackpot/{RELEASE}"}
    assert len(list(built.glob("*.tar.gz"))) == 2


def test_what_is_installed_is_what_was_signed(built: Path, tmp_path: Path) -> None:
    """Both wheels together are the signed release; a changed rule is found."""
    for name in ("jackpot_table_client", "jackpot_controller"):
        with zipfile.ZipFile(wheel(built, name)) as archive:
            archive.extractall(tmp_path)
    trusted = public_path(built / "release.key")
    found = inspect(tmp_path / "jackpot", trusted)
    assert (found.check, found.problems) == ("signed", ())
    rule = next((tmp_path / "jackpot" / "rules" / "data").rglob("*.toml"))
    rule.write_text(rule.read_text() + "#")
    assert inspect(tmp_path / "jackpot", trusted).check == "differs"


def test_the_bill_of_materials_lists_what_is_pinned(built: Path) -> None:
    """CycloneDX, with every package of requirements.txt at its version."""
    (path,) = built.glob("*.cdx.json")
    bill = json.loads(path.read_text())
    assert bill["bomFormat"] == "CycloneDX"
    listed = {f"{each['name']}=={each['version']}" for each in bill["components"]}
    pinned = (ROOT / "requirements.txt").read_text().splitlines()
    assert listed == {line for line in pinned if not line.startswith("#")}


def environment(folder: Path, *install: str) -> Path:
    """A virtual environment with nothing but what is named and what that needs."""
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True, timeout=120)
    pip = [str(folder / "bin/pip"), "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, *install], check=True, timeout=300, env=os.environ | {"PYTHONPATH": ""})
    return folder / "bin"


def needed(requirements: Iterable[str]) -> Iterator[Distribution]:
    """What is installed here of what these declare, and of what that declares in turn."""
    for requirement in map(Requirement, requirements):
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            found = distribution(requirement.name)
            assert found.version in requirement.specifier
            yield found
            yield from needed(found.requires or ())


def linked_environment(folder: Path, archive: Path) -> Path:
    """One with a wheel, and links to what is installed here of that which the wheel declares."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    pip = [sys.executable, "-m", "pip", "--python", str(folder / "bin/python"), "install"]
    subprocess.run([*pip, "-qq", "--no-index", "--no-deps", str(archive)], check=True, timeout=120)
    (packages,) = folder.glob("lib/*/site-packages")
    (installed,) = Distribution.discover(path=[str(packages)])
    assert installed.requires
    for each in needed(installed.requires):
        for file in each.files or ():
            if ".." not in file.parts and not (link := packages / file).exists():
                link.parent.mkdir(parents=True, exist_ok=True)
                link.symlink_to(str(each.locate_file(file)))
    return folder / "bin"


@pytest.mark.timeout(400)
def test_the_client_alone_plays_a_round(built: Path, tmp_path: Path) -> None:
    """An environment with the client's wheel and what it declares plays a round."""
    place = linked_environment(tmp_path / "alone", wheel(built, "jackpot_table_client"))
    (packages,) = place.parent.glob("lib/*/site-packages")
    names = {each.name.lower() for each in Distribution.discover(path=[str(packages)])}
    assert names <= {
        *("jackpot-table-client", "googleapis-common-protos", "grpcio"),
        *("msgspec", "protobuf", "tenacity", "typing_extensions"),
    }
    with Process(tmp_path, options=ALONE) as controller:
        done = subprocess.run(
            [place / "python", "-c", ROUND, controller.address, SITE, "t4", FIVE],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            env=os.environ | {"PYTHONPATH": ""},
        )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0].startswith("round 1 ")
    assert done.stdout.splitlines()[1] == "alone"


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_whole_serves_and_plays(built: Path, tmp_path: Path) -> None:
    """An empty environment with the whole project's wheel runs its demo and its table."""
    whole = wheel(built, "jackpot_controller")
    place = environment(tmp_path / "whole", "--find-links", str(built), f"{whole}[all]")
    for command in (
        ("jackpot", "--help"),
        ("jackpot", "demo", "--rounds", "3", "--seed", "7"),
        ("jackpot-table", "--game", "pa-crazy-4-poker", "--seed", "7"),
        ("jackpot-emulator", "--help"),
    ):
        done = subprocess.run(
            [place / command[0], *command[1:]],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
