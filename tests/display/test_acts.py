"""People act from pages: the ledger knows who it was, by login, certificate or PIN."""

import asyncio
import json
import logging
from random import Random
from typing import Any

import pytest

from jackpot.auth.logins import SINGLE_S
from jackpot.auth.pins import PINS
from jackpot.auth.roles import PIN_ACTS
from jackpot.display.web.acts import _SERVICE, TOKEN_HEADER
from jackpot.store import codec
from jackpot.store.opening import open_to_read
from jackpot.wire.request_id import new_request_id
from tests.auth.test_pins import GOOD, call
from tests.display.at_tables import VOID_ROUND, at_table, with_a_royal
from tests.display.secured import SecuredPages
from tests.server.house import SITE

ROUNDS = 60  # bodies; once 1,500 were tried


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
        "irregularity": "MISDEALT",
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


@pytest.mark.parametrize("by", ["clearing", "another", "file"])
async def test_a_pin_that_is_gone_takes_its_session_along(pages: SecuredPages, by: str) -> None:
    """What was typed a moment ago ends with the PIN: cleared, changed, or cleared elsewhere."""
    dealer, flo = pages.house.identity("dealer", "dan"), pages.house.identity("floor", "flo")
    _, made = await post(pages, "/pin", typed(), identity=dealer)
    before = await pages.house.journal_head()
    if by == "clearing":
        assert (await call(pages.house, flo, "ClearPin")).cleared
    elif by == "another":
        await call(pages.house, flo, "SetPin", pin="924680")
    else:  # another controller that shares it
        (pages.house.folder.parent / PINS).unlink()
    token = {TOKEN_HEADER: made["token"]}
    status, answer = await post(pages, "/act/VoidTableRound", void(), headers=token)
    assert (status, answer["reason"]) == (401, "UNAUTHENTICATED")
    assert answer["text"] == "The login or PIN has ended: log in or type the PIN again."
    assert await pages.house.journal_head() == before


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


async def of_t2(pages: SecuredPages) -> dict[str, dict[str, object]]:
    """What can be asked about table t2's round, payout and call, by everything a PIN can do."""
    async with at_table(pages.house, "t2") as table:
        payout = await with_a_royal(table, 5)
        called = (await table.call_floor(VOID_ROUND)).call
    about = {"table": "t2", "round": 1, "irregularity": "MISDEALT"}
    return {
        "ApproveFloorCall": {"call": called},
        "DeclineFloorCall": {"call": called},
        "ValidatePayout": {"payout": payout},
        "RejectPayout": {"payout": payout, "reason": "REJECT_REASON_HAND_MISREAD"},
        "VoidTableRound": about,
        "VoidTableSeat": {**about, "seat": 1},
        "RemoveWager": {"table": "t2", "round": 1, "wager": {"seat": 1, "bet": "x"}},
    }


async def test_a_pin_typed_at_one_table_does_nothing_at_another(pages: SecuredPages) -> None:
    """A call and a payout are known by number: whose table's they are, the ledger looks up."""
    dealer, asked = pages.house.identity("dealer", "dan"), await of_t2(pages)
    assert {f"OperatorService/{act}" for act in asked} == PIN_ACTS
    for act, body in asked.items():
        _, made = await post(pages, "/pin", typed(act), identity=dealer)
        status, answer = await post(
            pages,
            f"/act/{act}",
            {**body, "request_id": new_request_id()},
            headers={TOKEN_HEADER: made["token"]},
        )
        assert status in {403, 404}, (act, answer)
    _, made = await post(pages, "/pin", typed("ApproveFloorCall", table="t2"), identity=dealer)
    approval = {**asked["ApproveFloorCall"], "request_id": new_request_id()}
    token = {TOKEN_HEADER: made["token"]}
    status, answer = await post(pages, "/act/ApproveFloorCall", approval, headers=token)
    assert (status, answer["table"]) == (200, "t2"), answer


async def test_a_pins_token_is_used_by_one_of_two_at_once(pages: SecuredPages) -> None:
    """Whoever sends it twice in the same moment acts once."""
    dealer = pages.house.identity("dealer", "dan")
    _, made = await post(pages, "/pin", typed(), identity=dealer)
    token, before = {TOKEN_HEADER: made["token"]}, await pages.house.journal_head()
    acts = [post(pages, "/act/VoidTableRound", void(), headers=token) for _ in range(4)]
    found = sorted([status for status, _ in await asyncio.gather(*acts)])
    assert found == [401, 401, 401, 409]
    assert await pages.house.journal_head() == before + 1


ODD: tuple[Any, ...] = (
    *(None, True, -1, 0.5, 1e308, 1 << 70, "", "x" * 300, "\0", [], {}, [[1]], {"seat": {}}),
    *("t1", "five", 1, GOOD, "../ops", "<b>", "1e999", "NaN", {"micros": "1"}),
)
FIELDS = ("link", "table", "call", "round", "wager", "payout", "site", "requestId", "reason", "x")


async def test_random_bodies_are_answered_in_one_line(
    pages: SecuredPages, caplog: pytest.LogCaptureFixture
) -> None:
    """Whatever JSON a browser sends to any act, it is refused, and nothing fails."""
    random = Random(5)
    flo = pages.house.identity("floor", "flo")
    acts = [f"/act/{method.name}" for method in _SERVICE.methods]
    for _ in range(ROUNDS):
        body: Any = {name: random.choice(ODD) for name in random.sample(FIELDS, 4)}
        body["request_id"] = random.choice((new_request_id(), *ODD[:6]))
        path = random.choice((*acts, "/pin", "/login", "/act/..%2fops", "/act/"))
        if path == "/pin":
            body = {key: random.choice((value, *ODD)) for key, value in typed().items()}
        status, text, _ = await pages.post(path, random.choice((body, body, [body])), identity=flo)
        assert 400 <= status < 500, (path, body, text)
        assert text.count("\n") <= 1
    assert not [record for record in caplog.records if record.levelname in ("ERROR", "CRITICAL")]


LONE = "\ud800"  # half of a character, which JSON can spell and UTF-8 cannot


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/act/SuspendLink", {"link": LONE}),
        ("/act/SuspendLink", {LONE: "five"}),
        ("/act/SuspendLink", {"link": "five", "request_id": LONE}),
        ("/act/ApproveFloorCall", {"call": 1e308}),
        ("/act/ApproveFloorCall", {"call": 1 << 70}),
        ("/act/ApproveFloorCall", {"call": [[[]]]}),
        ("/pin", typed(name=LONE)),
        ("/pin", typed(pin=LONE)),
        ("/pin", typed(act=LONE)),
        ("/login", {"code": LONE}),
    ],
)
async def test_what_no_page_would_send_is_refused(
    pages: SecuredPages, path: str, body: dict[str, object]
) -> None:
    """In one line, with nothing in the journal and no traceback in the log."""
    before = await pages.house.journal_head()
    dealer = pages.house.identity("floor", "flo")
    status, text, _ = await pages.post(path, body, identity=dealer)
    assert status in {400, 403}, text
    assert await pages.house.journal_head() == before
