"""Bring the journal up to what the site file says, and refuse a file that contradicts it.

The journal's configuration is the one that counts. A file may add links and tables; it can't
change the terms of one that has been journaled, because past rounds were played under them; its
words, such as titles and citations, and a table's base game it can, and the journal says so. Rates
and limits that two people have changed since stand in the journal and not in the file: the file's
are not used.
"""

import asyncio
import logging
from collections.abc import Callable, Collection, Iterator

from jackpot.core.commands import Request
from jackpot.core.commands.base import OperatorOrigin
from jackpot.core.commands.operator import (
    DefineLink,
    DefineTable,
    DescribeLink,
    DescribeTable,
    NoteSoftware,
    OperatorCommand,
    PutInService,
)
from jackpot.core.config import Site
from jackpot.core.plan import plan, settings_of, wanted_settings
from jackpot.core.reasons import Reason
from jackpot.core.refiling import terms_of_link, terms_of_table, with_rates_of
from jackpot.core.state import State
from jackpot.engine import Engine
from jackpot.server.admission import SITE_FILE
from jackpot.server.errors import CallRefusedError, accepted, seen
from jackpot.wire.errors import PlainError
from jackpot.wire.request_id import new_request_id

# Another controller on the same journal may have been a moment quicker.
_DONE_ALREADY = (Reason.ALREADY_DEFINED, Reason.WRONG_LINK_STATE)
_log = logging.getLogger(__name__)


class SetupError(PlainError):
    """The site file and the journal contradict each other."""


def unasked(held: Collection[str], served: Collection[str], asked: Collection[str]) -> list[str]:
    """Sites that a start would begin in a store that is others': perhaps an id was changed.

    A store that is empty, or whose every site is served, takes another one without being asked.
    """
    if not set(held) - set(served):
        return []
    return [site for site in served if site not in held and site not in asked]


async def set_up(
    engine: Engine,
    site: Site,
    request_id: Callable[[], str] = new_request_id,
    software: str = "",
) -> None:
    """Define what the file has and the journal has not, and note another release of the software.

    A source tree has no release to name: it changes with every edit.
    """
    commands = seen(await engine.read(site.id, lambda state: tuple(missing(state, site, software))))
    # All at once, which keeps their order: a new site is a commit or two, not one for each table.
    outcomes = await asyncio.gather(
        *(
            engine.execute(Request(site.id, OperatorOrigin(SITE_FILE, request_id()), command))
            for command in commands
        )
    )
    for outcome in outcomes:
        try:
            accepted(outcome)
        except CallRefusedError as error:
            if error.refusal.reason not in _DONE_ALREADY:
                raise
    await _say_dual_control(engine, site)
    for problem in seen(await engine.read(site.id, lambda state: tuple(_differing(state, site)))):
        raise SetupError(problem)


async def _say_dual_control(engine: Engine, site: Site) -> None:
    """Say loudly where one person is enough, or where a file would have it so."""
    dual_control = seen(await engine.read(site.id, lambda state: (state.dual_control,)))[0]
    if dual_control and not site.dual_control:
        _log.warning(
            "site %s: DUAL CONTROL STAYS ON. The site file says dual_control = false, but turning "
            "it off takes two people: jackpot dual-control off --note WHY",
            site.id,
        )
    elif not dual_control:
        _log.warning("site %s: DUAL CONTROL IS OFF. One person alone changes meters.", site.id)
    if site.voids_by_table != "until-collected":
        _log.warning(
            "site %s: TABLES MAY VOID ROUNDS UNTIL SETTLEMENT, without a floorperson "
            "(voids_by_table). Use this only in a laboratory.",
            site.id,
        )


def missing(state: State, site: Site, software: str) -> Iterator[OperatorCommand]:
    """Whatever brings the journal up to the file, in order."""
    # A new site's journal says in words that one person is enough there.
    wanted = wanted_settings(state, site)
    if not state.links or wanted != settings_of(state):
        yield wanted
    if software not in ("", state.software):
        yield NoteSoftware(software)
    yield from (DefineLink(link) for link in site.links if link.id not in state.links)
    yield from (DefineTable(table) for table in site.tables if table.id not in state.tables)
    yield from _described(state, site)
    for link in site.in_service:
        if link not in state.links or state.links[link].status == "defined":
            yield PutInService(link)


def _described(state: State, site: Site) -> Iterator[OperatorCommand]:
    """What the file says in other words than the journal."""
    for link in (link for link in site.links if link.id in state.links):
        before = state.links[link.id].config
        now = with_rates_of(before, link)
        if now != before and terms_of_link(now) == terms_of_link(before):
            yield DescribeLink(link)
    for table in (table for table in site.tables if table.id in state.tables):
        journaled = state.tables[table.id].config
        if table != journaled and terms_of_table(table) == terms_of_table(journaled):
            yield DescribeTable(table)


def _differing(state: State, site: Site) -> Iterator[str]:
    for step in plan(state, site):
        what = f"{step.kind} {step.id}: {'.'.join(step.key)}"
        if step.verdict == "keep" and step.kind != "site":  # whose dual control is said above
            _log.warning(
                "%s keeps the value in the journal, %s; the site file says %s",
                what,
                step.old,
                step.new,
            )
        elif step.verdict == "refuse":
            old, new = step.old or "nothing", step.new or "nothing"
            yield f"{what} is {old} in the journal and {new} in the site file; {step.instead}"
