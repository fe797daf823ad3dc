"""People act from pages: the ledger knows who it was, by login, certificate or PIN."""

import json
import logging
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from jackpot.auth import pins as pin_module
from jackpot.auth.logins import SINGLE_S
from jackpot.display.web.acts import TOKEN_HEADER
from jackpot.store import codec
from jackpot.store.opening import open_to_read
from jackpot.wire.request_id import new_request_id
from tests.auth.test_pins import GOOD, call
from tests.display.secured import SecuredPages, secured_pages
from tests.server.house import SITE


@pytest_asyncio.fixture(loop_scope="session")
async def pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[SecuredPages]:
    """The usual site behind TLS; floorperson Flo has a PIN."""
    from argon2 import PasswordHasher  # noqa: PLC0415

    hasher = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    monkeypatch.setattr(pin_module, "_hasher", lambda: hasher)
    pin_module._nobodys_hash.cache_clear()
    async with secured_pages(tmp_path) as served:
        flo = served.house.identity("floor", "flo")
        assert (await call(served.house, flo, "SetPin", pin=GOOD)).holder
        yield served


async def post(pages: SecuredPages, path: str, body: object, **options: Any) -> tuple[int, Any]:
    """Status and JSON, or text, of an answer."""
    status, text, _ = await pages.post(path, body, **options)
    try:
        return status, json.loads(text)
    except ValueError:
        return status, text


def suspend(link: str = "five") -> dict[str, str]:
    """A link's suspension, as a page sends it."""
    return {"link": link, "request_id": new_request_id()}


async def last_entry(pages: SecuredPages) -> Any:
    """The journal's last entry."""
    head = await pages.house.journal_head()
    journal = open_to_read(pages.house.folder.parent / "data")
    try:
        return codec.decode_entry(SITE, journal.read(SITE, head - 1, 1)[0])
    finally:
        journal.close()


def typed(act: str = "VoidTableRound", **more: str) -> dict[str, str]:
    """What somebody types at a table's page."""
    return {"name": "flo", "pin": GOOD, "table": "t1", "act": act, **more}


def void(table: str = "t1") -> dict[str, object]:
    """A void that finds no round: refused by the core, in the journal, with its author."""
    return {
        "table": table,
        "round": 1,
        "irregularity": "misdeal",
        "request_id": new_request_id(),
    }


@pytest.mark.parametrize("how", ["login", "certificate"])
async def test_a_page_acts_as_the_person(pages: SecuredPages, how: str) -> None:
    """The journal names who logged in or showed the certificate, whatever the page sends."""
    identity = pages.house.identity("floor", "flo")
    options: dict[str, Any] = {"identity": identity}
    if how == "login":
        options = {"headers": await pages.log_in(identity)}
    status, answer = await post(pages, "/act/SuspendLink", suspend(), **options)
    assert (status, "sequence" in answer) == (200, True), answer
    entry = await last_entry(pages)
    assert entry.origin.principal == "floor:flo"
    assert entry.origin.department == "table games"
    status, answer = await post(pages, "/act/ResumeLink", suspend(), **options)
    assert (status, answer["reason"]) == (403, "NOT_ALLOWED")


async def test_nobody_acts_without_a_session(pages: SecuredPages) -> None:
    """No login, a made-up one, one that was ended, a page elsewhere: nothing is journaled."""
    before = await pages.house.journal_head()
    login = await pages.log_in(pages.house.identity("floor", "flo"))
    foreign = {**login, "Origin": "https://casino.example"}
    assert (await post(pages, "/act/SuspendLink", suspend(), headers=foreign))[0] == 403
    await pages.post("/logout", headers=login)
    for headers in ({}, {TOKEN_HEADER: "made-up"}, login):
        status, answer = await post(pages, "/act/SuspendLink", suspend(), headers=headers)
        assert (status, answer["reason"]) == (401, "UNAUTHENTICATED")
    assert (await post(pages, "/act/ListLinks", {}))[0] == 404
    assert (await post(pages, "/act/Nothing", {}))[0] == 404
    assert await pages.house.journal_head() == before


async def test_a_page_cannot_name_another_person_or_site(pages: SecuredPages) -> None:
    """The site is the page's own, and a field that names a person is the session's."""
    login = await pages.log_in(pages.house.identity("accounting", "ada"))
    body = {**suspend(), "site": "elsewhere"}
    assert (await post(pages, "/act/SuspendLink", body, headers=login))[1][
        "reason"
    ] == "NOT_ALLOWED"
    assert (await post(pages, "/act/SuspendLink", {"nope": 1}, headers=login))[0] == 400


async def test_a_pin_is_good_for_one_act_once(pages: SecuredPages) -> None:
    """Typed at the table's page by its dealer's browser; the journal names the floorperson."""
    dealer = pages.house.identity("dealer", "dan")
    status, made = await post(pages, "/pin", typed(), identity=dealer)
    assert (status, made["principal"]) == (200, "floor:flo"), made
    token = {TOKEN_HEADER: made["token"]}
    status, answer = await post(pages, "/act/VoidTableRound", void(), headers=token)
    assert (status, answer["reason"]) == (409, "NO_ROUND")
    entry = await last_entry(pages)
    assert entry.origin.principal == "floor:flo"
    head = await pages.house.journal_head()
    status, answer = await post(pages, "/act/VoidTableRound", void(), headers=token)
    assert (status, answer["reason"]) == (401, "UNAUTHENTICATED")
    assert await pages.house.journal_head() == head


@pytest.mark.parametrize("misuse", ["act", "table", "late", "page"])
async def test_a_pin_is_good_for_nothing_else(pages: SecuredPages, misuse: str) -> None:
    """Not for another act, not at another table, not later, and not to look at a page."""
    dealer = pages.house.identity("dealer", "dan")
    _, made = await post(pages, "/pin", typed(), identity=dealer)
    token, before = {TOKEN_HEADER: made["token"]}, await pages.house.journal_head()
    if misuse == "late":
        pages.expire(SINGLE_S + 1)
    if misuse == "page":
        cookie = {"Cookie": f"__Host-jackpot-{SITE}={made['token']}"}
        assert (await pages.get("/ops", headers=cookie))[0] == 401
        return
    act, body = ("SuspendLink", suspend()) if misuse == "act" else ("VoidTableRound", void())
    body = void("t2") if misuse == "table" else body
    status, _ = await post(pages, f"/act/{act}", body, headers=token)
    assert status in {401, 403}
    assert await pages.house.journal_head() == before


async def test_where_a_pin_can_be_typed(pages: SecuredPages) -> None:
    """At a page that the browser may see, of a table that there is, for what a PIN can do."""
    assert (await post(pages, "/pin", typed()))[0] == 401
    sign = pages.house.identity("sign", "lobby")
    assert (await post(pages, "/pin", typed(), identity=sign))[0] == 403
    other = pages.house.identity("table", "t2")
    assert (await post(pages, "/pin", typed(), identity=other))[0] == 403
    dealer = pages.house.identity("dealer", "dan")
    assert (await post(pages, "/pin", typed(table="t99"), identity=dealer))[0] == 404
    for act in ("SuspendLink", "AdjustMeter", "PayPayout", "SetPin"):
        status, answer = await post(pages, "/pin", typed(act), identity=dealer)
        assert (status, answer["reason"]) == (400, "MALFORMED"), act
    assert (await post(pages, "/pin", {"name": "flo"}, identity=dealer))[0] == 400
    foreign = {"Origin": "https://casino.example"}
    assert (await post(pages, "/pin", typed(), identity=dealer, headers=foreign))[0] == 403


async def test_wrong_pins_are_refused_and_never_logged(
    pages: SecuredPages, caplog: pytest.LogCaptureFixture
) -> None:
    """Five wrong ones and the person waits at that table; no log has what was typed."""
    caplog.set_level(logging.DEBUG)
    dealer = pages.house.identity("dealer", "dan")
    for _ in range(5):
        assert (await post(pages, "/pin", typed(pin="738291"), identity=dealer))[0] == 403
    status, text = await post(pages, "/pin", typed(), identity=dealer)
    assert status == 429
    assert "15 min" in text
    assert (await post(pages, "/pin", typed(table="t2"), identity=dealer))[0] == 200
    logged = "\n".join(record.getMessage() for record in caplog.records)
    assert "738291" not in logged
    assert GOOD not in logged
    assert "a wrong PIN" in logged
    assert '"principal": "floor:flo"' in logged
