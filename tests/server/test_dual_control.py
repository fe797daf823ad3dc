"""Dual control can't be turned off by editing the site file: two people do that."""

import logging
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from jackpot.rules.site import load_site
from jackpot.wire.v1 import operator_pb2
from tests.server.house import SITE, House, serving, site_text, write_site
from tests.server.scenes.stage import adjust
from tests.server.test_voids import refused

OFF: dict[str, Any] = {"dual_control": False, "reference": "memo 12"}


async def is_on(house: House) -> bool:
    """Whether changes need a second person."""
    request = operator_pb2.ListProposalsRequest(site=SITE)
    return (await house.operators.ListProposals(request)).dual_control


async def test_an_edited_site_file_does_not_turn_it_off(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The journal's setting counts, the start says so, and a change is still only proposed."""
    site = load_site(write_site(tmp_path, site_text()))
    for dual_control in (True, False):
        caplog.clear()
        filed = replace(site, dual_control=dual_control)
        with caplog.at_level(logging.WARNING):
            async with serving(tmp_path / "data", filed) as house:
                assert await is_on(house)
                assert (await adjust(house, 12_000 + dual_control)).HasField("proposed")
        assert ("DUAL CONTROL STAYS ON" in caplog.text) is not dual_control
    assert "jackpot dual-control off" in caplog.text


async def test_two_people_turn_it_off_and_a_start_says_so(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """One proposes, another of another department approves; then one is enough."""
    site = load_site(write_site(tmp_path, site_text()))
    async with serving(tmp_path / "data", site) as house:
        asked = await house.operate("SetDualControl", who="olga/operations", **OFF)
        proposal = asked.proposed
        assert proposal.kind == operator_pb2.CHANGE_KIND_SET_DUAL_CONTROL
        assert (proposal.before, proposal.after) == (
            "two people make a change",
            "one person makes a change",
        )
        assert await is_on(house)
        own = house.operate("ApproveProposal", who="olga/accounting", proposal=proposal.id)
        assert (await refused(own)).reason == "SECOND_PERSON_REQUIRED"
        done = await house.operate("ApproveProposal", who="anna/accounting", proposal=proposal.id)
        assert not done.dual_control.dual_control
        assert not await is_on(house)
        assert (await adjust(house, 12_000)).HasField("changed")
    with caplog.at_level(logging.WARNING):
        async with serving(tmp_path / "data", replace(site, dual_control=False)) as house:
            assert not await is_on(house)
    assert "DUAL CONTROL IS OFF" in caplog.text
    async with serving(tmp_path / "data", site) as house:  # the file asks for two again
        assert await is_on(house)


async def test_a_sites_first_start_may_have_it_off(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A laboratory's; it is said at every start, and one person may turn it on."""
    site = replace(load_site(write_site(tmp_path, site_text())), dual_control=False)
    for _ in range(2):
        caplog.clear()
        with caplog.at_level(logging.WARNING):
            async with serving(tmp_path / "data", site) as house:
                assert not await is_on(house)
        assert "DUAL CONTROL IS OFF" in caplog.text
    async with serving(tmp_path / "data", site) as house:
        await house.operate("SetDualControl", dual_control=True, reference="memo 1")
        assert await is_on(house)


async def test_a_laboratorys_setting_for_voids_is_journaled_and_said(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """It comes from the site file, and goes with it."""
    text = site_text().replace("[site]\n", '[site]\nvoids_by_table = "until-settled"\n', 1)
    site = load_site(write_site(tmp_path, text))
    with caplog.at_level(logging.WARNING):
        async with serving(tmp_path / "data", site) as house:
            found = await house.engine.read(SITE, lambda state: state.voids_by_table)
            assert found == "until-settled"
    assert "TABLES MAY VOID ROUNDS UNTIL SETTLEMENT" in caplog.text
    usual = replace(site, voids_by_table="until-collected")
    async with serving(tmp_path / "data", usual) as house:
        found = await house.engine.read(SITE, lambda state: state.voids_by_table)
        assert found == "until-collected"
