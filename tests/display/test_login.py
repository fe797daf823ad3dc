"""A browser's login: how it is had, what it is made of, and who does not get one."""

import asyncio
import logging
import re
from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import pytest
import pytest_asyncio
from click.testing import CliRunner, Result
from grpc.aio import AioRpcError, Metadata

from jackpot.auth.authority import CA_CERTIFICATE
from jackpot.auth.callers import Actor
from jackpot.auth.logins import (
    CODE_S,
    FAILURES_S,
    LOGIN_S,
    MAX_CODES,
    MAX_EACH,
    MAX_FAILURES,
    MAX_LOGINS,
    MAX_PEERS,
    Attempts,
    Logins,
)
from jackpot.cli.main import main
from jackpot.display.web.access import SessionClient
from jackpot.wire.identity import Identity
from tests.display.secured import COOKIE, SecuredPages, secured_pages
from tests.display.shown import Shown, ask
from tests.server.house import free_port

FLO = Actor("floor:flo", role="floor", serial=7)


@pytest_asyncio.fixture(loop_scope="session")
async def pages(tmp_path: Path) -> AsyncIterator[SecuredPages]:
    """The usual site behind TLS."""
    async with secured_pages(tmp_path) as served:
        yield served


class Clock:
    """A clock that is set."""

    def __init__(self) -> None:
        self.now_s = 1_000.0

    def __call__(self) -> float:
        """Now."""
        return self.now_s


@pytest.mark.parametrize(("age_s", "good"), [(-1, True), (0, False), (1, False)])
def test_how_long_codes_and_logins_last(age_s: float, good: bool) -> None:
    """A code lasts five minutes and a login twelve hours, to the second."""
    clock = Clock()
    logins = Logins(lambda _: "", clock)
    code = logins.new_code(FLO)
    clock.now_s += CODE_S + age_s
    assert (logins.redeem(code) is not None) is good
    made = logins.redeem(logins.new_code(FLO))
    assert made
    clock.now_s += LOGIN_S + age_s
    assert (logins.find(made[0]) == FLO) is good


def test_a_login_is_no_better_than_its_certificate() -> None:
    """It ends when the certificate does, and at once when that is revoked."""
    clock, fault = Clock(), ""
    logins = Logins(lambda _: fault, clock)
    made = logins.redeem(logins.new_code(FLO._replace(expires_s=clock.now_s + 60)))
    assert made
    assert made[1].until_s == clock.now_s + 60
    assert logins.find(made[0])
    code = logins.new_code(FLO)
    fault = "revoked"
    assert logins.find(made[0]) is None
    assert logins.redeem(code) is None


def test_codes_are_typed_as_people_type() -> None:
    """Small letters, spaces and missing dashes are all the same; one letter less is not."""
    logins = Logins(lambda _: "")
    for wrote in (str.lower, lambda code: code.replace("-", " "), lambda code: f" {code}\n"):
        assert logins.redeem(wrote(logins.new_code(FLO)))
    assert logins.redeem(logins.new_code(FLO)[:-1]) is None
    assert logins.redeem("") is None


def log_in(logins: Logins, actor: Actor) -> str:
    """A login's token."""
    made = logins.redeem(logins.new_code(actor))
    assert made
    return made[0]


def test_one_person_logs_out_only_themselves() -> None:
    """Past a person's own limit their oldest goes, whether code or login, and nobody else's."""
    logins = Logins(lambda _: "")
    other = log_in(logins, FLO)
    mona = Actor("monitor:mona", role="monitor", serial=8)
    waiting = logins.new_code(FLO)
    codes = [logins.new_code(mona) for _ in range(MAX_EACH + 1)]
    assert logins.redeem(codes[0]) is None
    assert logins.redeem(codes[1])
    tokens = [log_in(logins, mona) for _ in range(2 * MAX_LOGINS)]
    assert not any(map(logins.find, tokens[:-MAX_EACH]))
    assert all(map(logins.find, tokens[-MAX_EACH:]))
    assert logins.find(other) == FLO
    assert logins.redeem(waiting)


def test_past_the_limit_of_all_the_greediest_loses() -> None:
    """However many people there are, what is kept is bounded, and who has one login keeps it."""
    logins = Logins(lambda _: "")
    first = log_in(logins, FLO)
    for number in range(MAX_LOGINS // MAX_EACH + 1):
        for _ in range(MAX_EACH):
            log_in(logins, Actor(f"floor:f{number}", role="floor", serial=number))
    assert len(logins._logins) == MAX_LOGINS
    assert logins.find(first)
    for number in range(2 * MAX_CODES):
        logins.new_code(Actor(f"floor:f{number}", role="floor", serial=number))
    assert len(logins._codes) == MAX_CODES


def test_secrets_are_not_kept() -> None:
    """Neither a code nor a token can be found in what the controller remembers."""
    logins = Logins(lambda _: "")
    waiting = logins.new_code(FLO)
    made = logins.redeem(logins.new_code(FLO))
    assert made
    kept = repr(vars(logins))
    assert waiting.replace("-", "") not in kept
    assert made[0] not in kept


def test_who_guesses_has_to_wait() -> None:
    """Ten wrong codes in a minute and a peer waits until the first of them is a minute old."""
    clock = Clock()
    attempts = Attempts(clock)
    for _ in range(MAX_FAILURES):
        assert attempts.wait_s("a") == 0
        attempts.failed("a")
        clock.now_s += 1
    assert attempts.wait_s("a") == FAILURES_S - MAX_FAILURES
    assert attempts.wait_s("b") == 0
    clock.now_s += FAILURES_S - MAX_FAILURES - 1
    assert attempts.wait_s("a") == 1
    clock.now_s += 1
    assert attempts.wait_s("a") == 0
    for number in range(MAX_PEERS):
        attempts.failed(str(number))
    assert len(attempts._failures) == MAX_PEERS


async def test_the_cookie_is_for_this_host_alone(pages: SecuredPages) -> None:
    """No script reads it, no other site sends it, and it goes over TLS only."""
    code = await pages.code(pages.house.identity("floor", "flo"))
    _, text, cookie = await pages.post("/login", {"code": code})
    name, *attributes = cookie.split("; ")
    assert name.startswith(f"{COOKIE}=")
    assert {part.lower() for part in attributes} == {
        "httponly",
        "path=/",
        "samesite=strict",
        "secure",
    }
    assert text == '{"home":"/ops"}'


async def test_a_code_is_good_once(pages: SecuredPages) -> None:
    """The second to give it gets nothing, and the first keeps the login."""
    code = await pages.code(pages.house.identity("floor", "flo"))
    status, _, cookie = await pages.post("/login", {"code": code})
    assert status == 200
    assert (await pages.post("/login", {"code": code}))[0] == 403
    assert (await pages.get("/ops", headers={"Cookie": cookie.partition(";")[0]}))[0] == 200


@pytest.mark.parametrize("body", [None, [], {"code": 7}, {}, {"code": "x" * 300}, {"code": "é"}])
async def test_what_is_no_code(pages: SecuredPages, body: object) -> None:
    """Whatever else is posted is refused in one line."""
    status, text, cookie = await pages.post("/login", body)
    assert (status, cookie) == (403, "")
    assert text.count("\n") == 1


async def test_guessing_is_slowed(pages: SecuredPages) -> None:
    """After ten wrong codes even a right one has to wait; who shows a certificate never does."""
    identity = pages.house.identity("floor", "flo")
    good = await pages.code(identity)
    for _ in range(MAX_FAILURES):
        assert (await pages.post("/login", {"code": "AAAA"}))[0] == 403
    status, text, _ = await pages.post("/login", {"code": good})
    assert status == 429
    assert text == "Too many wrong codes; wait a minute.\n"
    assert (await pages.get("/ops", identity))[0] == 200


@pytest.mark.parametrize("origin", ["https://casino.example", "null", "http://[", "", "http://US"])
async def test_other_sites_cannot_log_anybody_in_or_out(pages: SecuredPages, origin: str) -> None:
    """A page elsewhere that makes the browser ask is refused, code or not."""
    flo = pages.house.identity("floor", "flo")
    code = await pages.code(flo)
    foreign = {"Origin": origin.replace("US", pages.url.partition("://")[2])}
    assert (await pages.post("/login", {"code": code}, headers=foreign))[0] == 403
    assert (await pages.post("/logout", headers=foreign))[0] == 403
    assert (await pages.post("/login/code", headers=foreign, identity=flo))[0] == 403
    assert (await pages.post("/login", {"code": code}, headers={"Origin": pages.url}))[0] == 200


async def test_a_browser_that_came_over_tls_comes_in_no_other_way(pages: SecuredPages) -> None:
    """Every answer over TLS says so, and is believed for a year."""
    for path in ("/", "/sign/five", "/ops", "/nope"):
        async with ask(pages.url, path, pages.tls()) as answer:
            assert answer.headers["strict-transport-security"] == "max-age=31536000"


async def test_a_login_begets_no_login(pages: SecuredPages) -> None:
    """A code takes a certificate: a stolen cookie can't be made to last."""
    login = await pages.log_in(pages.house.identity("floor", "flo"))
    assert (await pages.post("/login/code", headers=login))[0] == 401


async def test_without_tls_there_is_no_login(shown: Shown) -> None:
    """On a controller without TLS nobody is asked who they are, so nobody can log in."""
    assert (await shown.get("/login"))[0] == 404


async def test_secrets_are_not_logged(
    pages: SecuredPages, caplog: pytest.LogCaptureFixture
) -> None:
    """The audit log tells who got in from where; no log at any level has a code or a cookie."""
    with caplog.at_level(logging.DEBUG):
        identity = pages.house.identity("floor", "flo")
        code = await pages.code(identity)
        _, _, cookie = await pages.post("/login", {"code": code})
        login = {"Cookie": cookie.partition(";")[0]}
        await pages.get("/ops", headers=login)
        await pages.post("/login", {"code": "WRONG-CODE"})
        await pages.post("/logout", headers=login)
    text = "\n".join(record.getMessage() for record in caplog.records)
    for secret in (code, code.replace("-", ""), login["Cookie"].partition("=")[2], "WRONG-CODE"):
        assert secret not in text
    audit = [r.getMessage() for r in caplog.records if r.name == "jackpot.audit"]
    assert [re.findall(r'"(?:login|why)": "([^"]+)"', line)[0] for line in audit] == [
        "code given",
        "in",
        "a wrong code",
        "out",
    ]
    assert all("127.0.0.1" in line for line in audit)
    assert "floor:flo" in audit[1]


async def run_login(*arguments: object) -> Result:
    """`jackpot login`, beside the loop that serves."""
    command = ["login", *map(str, arguments)]
    return await asyncio.to_thread(CliRunner().invoke, main, command)


def shown_by(identity: Identity) -> tuple[object, ...]:
    """The options that say who is calling."""
    return "--cert", identity.certificate, "--ca", identity.authority


async def test_jackpot_login_prints_an_address(pages: SecuredPages) -> None:
    """Its code gets a browser in; --json has the same for machines."""
    identity = pages.house.identity("floor", "flo")
    result = await run_login(pages.url, *shown_by(identity))
    assert result.exit_code == 0, result.output
    first, address = result.output.splitlines()
    assert first == "floor:flo: open this address within 5 minutes; it works once"
    assert address.startswith(f"  {pages.url}/login#")
    assert max(map(len, result.output.splitlines())) <= 80
    assert (await pages.post("/login", {"code": address.partition("#")[2]}))[0] == 200
    result = await run_login(pages.url, "--json", *shown_by(identity))
    assert '"valid_s": 300' in result.output


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (grpc.StatusCode.UNAUTHENTICATED, "The controller does not accept this certificate."),
        (grpc.StatusCode.PERMISSION_DENIED, "Your role may not open this page."),
        (
            grpc.StatusCode.UNAVAILABLE,
            "The controller can't be reached to check who you are. Try again soon.",
        ),
    ],
)
async def test_what_the_ledger_refuses_first_is_said_too(
    pages: SecuredPages, monkeypatch: pytest.MonkeyPatch, code: grpc.StatusCode, said: str
) -> None:
    """The ledger may read the list of revoked certificates before the pages do."""

    async def refuse(_client: SessionClient, _certificate: bytes) -> None:
        raise AioRpcError(code, Metadata(), Metadata(), "")

    monkeypatch.setattr(SessionClient, "code", refuse)
    result = await run_login(pages.url, *shown_by(pages.house.identity("floor", "flo")))
    assert (result.exit_code, result.output) == (1, f"Error: {said}\n")


async def test_jackpot_login_says_why_not(pages: SecuredPages, shown: Shown) -> None:
    """Each failure is one line and its exit code: refused 1, wrong usage 2, nobody there 3."""
    house = pages.house
    flo = shown_by(house.identity("floor", "flo"))
    revoked = house.identity("floor", "ron")
    house.revoke(revoked)
    async with asyncio.timeout(30):  # the list is read anew every second
        while (await run_login(pages.url, *shown_by(revoked))).exit_code == 0:
            pass
    foreign = Identity(
        house.identity("floor", "fay").certificate, house.folder.parent / "foreign" / CA_CERTIFICATE
    )
    nowhere = f"https://127.0.0.1:{free_port()}"
    for where, options, code, said in (
        (pages.url, shown_by(house.identity("sign")), 1, "Your role has no page to log in to"),
        (pages.url, shown_by(revoked), 1, "The controller does not accept this certificate."),
        (pages.url, shown_by(foreign), 1, "is not trusted: "),
        (pages.url, shown_by(house.identity("floor", days=0)), 1, "the certificate has expired"),
        (pages.url, ("--cert", "none.pem", *flo[2:]), 1, "none.pem or the key beside it: No such"),
        (shown.url.replace("http:", "https:"), flo, 1, "does not use TLS"),
        (shown.url, flo, 2, "is not a valid address; expected https://"),
        ("https://[", flo, 2, "is not a valid address; expected https://"),
        ("https://127.0.0.1:70000", flo, 2, "is not a valid address; expected https://"),
        (pages.url, (), 2, "this command needs your certificate: give --cert and --ca"),
        (nowhere, flo, 3, "can't be reached"),
    ):
        result = await run_login(where, *options)
        assert result.exit_code == code, (said, result.output)
        assert said in result.output
        assert "Traceback" not in result.output
