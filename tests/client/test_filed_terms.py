"""What the house filed reaches a table by its attachment, and that is what the table plays by."""

import asyncio
import re
from pathlib import Path

import pytest

from jackpot.rules.site import load_site
from jackpot.server.controller import make_controller
from table_client.client import TableClient, open_channel
from table_client.table.assembly import filed_terms
from table_client.table.command import main
from tests.cli.in_process import run_here
from tests.docs.pages import ROOT, blocks
from tests.server.house import write_site

PAGE = ROOT / "docs" / "reference" / "whole-house.md"
HOUSES = [block.text for block in blocks(PAGE) if block.language == "toml"]
FOUR = '[site]\nid = "north"\n[[tables]]\nid = "t1"\nrule = "pa-2010-four-card-poker"\n'


@pytest.mark.parametrize("house", HOUSES, ids=range(len(HOUSES)))
async def test_an_attachment_tells_all_that_was_filed_for_a_base_game(
    tmp_path: Path, house: str
) -> None:
    """Every value of every table of the whole house comes back as the file has it."""
    site = load_site(write_site(tmp_path, house))
    controller = make_controller(site, tmp_path / "data", fronts=0)
    address = await controller.start("127.0.0.1:0")
    try:
        async with open_channel(address) as channel:
            for table in site.tables:
                async with TableClient(channel, site.id, table.id) as client:
                    await client.attach()
                    assert client.config.boxes_per_player == table.boxes_per_player
                    if table.base:
                        assert filed_terms(client.config) == table.base
                    else:
                        assert not client.config.HasField("base")
    finally:
        await controller.stop()


def play_at(address: str, site: Path, card: str = "four") -> tuple[int, str, str]:
    """A round of `jackpot-table` on its own copy of the site file."""
    at = ("--controller", address, "--site", str(site), "--table", "t1")
    game = f"pa-2010-{card}-card-poker"
    done = run_here(main, "--game", game, "--seed", "7", "--players", "2", "--trace", *at)
    return done.returncode, done.stdout, done.stderr


async def test_a_table_plays_by_the_journal_and_not_by_its_copy_of_the_file(
    tmp_path: Path,
) -> None:
    """The house posts $25; a copy of its file that still says $5 changes nothing."""
    filed = load_site(write_site(tmp_path, FOUR + 'minimum = "$25"\n'))
    old = tmp_path / "old.toml"
    old.write_text(FOUR + 'minimum = "$5"\n')
    controller = make_controller(filed, tmp_path / "data", fronts=0)
    address = await controller.start("127.0.0.1:0")
    try:
        code, said, told = await asyncio.to_thread(play_at, address, old)
        assert code == 0, told
        # Simulated players wager twice the minimum.
        assert set(re.findall(r"Ante, (\S+)\.", said)) == {"$50.00"}
        old.write_text(FOUR.replace("four-card-poker", "three-card-poker"))
        code, _, told = await asyncio.to_thread(play_at, address, old, "three")
        assert (code, told.count("\n")) == (1, 1), told
        assert "the controller has t1 as a table of pa-2010-four-card-poker" in told
    finally:
        await controller.stop()
