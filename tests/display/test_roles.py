"""Every page by every kind of viewer over TLS: what the table of roles allows, and nothing else."""

import asyncio
import json
import ssl
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from pathlib import Path

import pytest
import pytest_asyncio

from jackpot.auth.roles import METRICS_PAGE, OPS_PAGE, PAGES, ROLES, TABLE_PAGE
from jackpot.wire.identity import Identity
from tests.auth.secured import stranger
from tests.display.secured import COOKIE, SecuredPages, secured_pages
from tests.display.shown import NONE, ask

PATHS = {
    OPS_PAGE: ("/ops", "/events/ops", "/api/history/five/main"),
    TABLE_PAGE: ("/table/t1", "/events/table/t1"),
    METRICS_PAGE: ("/metrics",),
}
PUBLIC = ("/", "/sign/five", "/events/sign/five", "/theme.css", "/health", "/api/site", "/login")
STAFF = [path for paths in PATHS.values() for path in paths]


@pytest_asyncio.fixture(loop_scope="session")
async def pages(tmp_path: Path) -> AsyncIterator[SecuredPages]:
    """The usual site behind TLS."""
    async with secured_pages(tmp_path) as served:
        yield served


def expected(role: str) -> dict[str, int]:
    """What each path answers to a role."""
    return {
        path: 200 if role in PAGES[page] else 403 for page, paths in PATHS.items() for path in paths
    }


async def test_every_page_by_every_role(pages: SecuredPages) -> None:
    """By certificate, each role sees the pages that the table gives it; signs are for all."""
    for role in ROLES:
        identity = pages.house.identity(role, "t1")
        found = {path: (await pages.get(path, identity))[0] for path in STAFF}
        assert found == expected(role), role
        assert {(await pages.get(path, identity))[0] for path in PUBLIC} == {200}


async def test_a_login_is_worth_its_role(pages: SecuredPages) -> None:
    """By login, each role sees the same; one that sees nothing is given no code."""
    for role in ROLES:
        identity = pages.house.identity(role, "t1")
        if not any(role in roles for roles in PAGES.values()):
            assert (await pages.post("/login/code", identity=identity))[0] == 403
            continue
        login = await pages.log_in(identity)
        found = {path: (await pages.get(path, headers=login))[0] for path in STAFF}
        assert found == expected(role), role


async def test_a_table_sees_itself_only(pages: SecuredPages) -> None:
    """t1's certificate shows t1's panel, and the index lists no other."""
    identity = pages.house.identity("table", "t1")
    assert (await pages.get("/table/t2", identity))[0] == 403
    assert (await pages.get("/events/table/t2", identity))[0] == 403
    site = json.loads((await pages.get("/api/site", identity))[1])
    assert site["tables"] == ["t1"]
    assert (site["ops"], site["viewer"]) == (False, "table:t1")


async def test_nobody_known_sees_signs(pages: SecuredPages) -> None:
    """Without certificate and login signs are there, and staff's pages 401, on this machine too."""
    assert {(await pages.get(path))[0] for path in PUBLIC} == {200}
    for path in STAFF:
        async with ask(pages.url, path, pages.tls()) as answer:
            assert answer.status == 401
            assert answer.headers["www-authenticate"]
            text = (await answer.body()).decode()
            assert text.startswith("This page is for staff.")
            assert text.count("\n") == 1
    site = json.loads((await pages.get("/api/site"))[1])
    assert (site["tables"], site["ops"], site["viewer"], site["login"]) == ([], False, "", True)


async def test_a_browser_is_shown_the_way_in(pages: SecuredPages) -> None:
    """Whoever wants a page is refused with one; what it repeats of the request is harmless."""
    status, text = await pages.get("/ops", headers={"Accept": "text/html,*/*"})
    assert status == 401
    assert f"<code>jackpot login {pages.url}</code>" in text
    assert 'href="/login"' in text
    _, text = await pages.get("/ops", headers={"Accept": "text/html", "Host": "<script>.example"})
    assert "<script>.example" not in text
    identity = pages.house.identity("dealer")
    status, text = await pages.get("/ops", identity, {"Accept": "text/html"})
    assert status == 403
    assert "Your role may not open this page" in text
    assert "jackpot login" not in text


@pytest.mark.parametrize("kind", ["foreign", "expired"])
async def test_tls_turns_bad_certificates_away(pages: SecuredPages, kind: str) -> None:
    """A certificate of another authority, or an old one, opens not even a sign."""
    with pytest.raises((ssl.SSLError, ConnectionError, asyncio.IncompleteReadError)):
        await pages.get("/sign/five", stranger(pages.house, kind))


async def test_another_sites_certificate_sees_signs_only(pages: SecuredPages) -> None:
    """A certificate names its site."""
    identity = pages.house.identity("operations", site="elsewhere")
    assert {(await pages.get(path, identity))[0] for path in STAFF} == {403}
    assert (await pages.post("/login/code", identity=identity))[0] == 403


async def ended(
    pages: SecuredPages, identity: Identity | None, headers: Mapping[str, str] = NONE
) -> float:
    """Watch the operator page's stream until it ends; how long that took."""
    async with ask(pages.url, "/events/ops", pages.tls(identity), headers=headers) as answer:
        assert answer.status == 200
        await answer.event("overview")
        yielded_s = time.monotonic()
        with suppress(EOFError):
            while True:
                await answer.event()
        return time.monotonic() - yielded_s


@pytest.mark.parametrize("how", ["certificate", "login"])
@pytest.mark.parametrize("end", ["revoked", "expired"])
async def test_pages_end_with_their_certificate(pages: SecuredPages, how: str, end: str) -> None:
    """Revoked or expired, neither it nor a login behind it opens anything; streams end in 3 s."""
    identity = pages.house.identity("operations", "olga")
    headers = await pages.log_in(identity) if how == "login" else {}
    shown = None if headers else identity
    assert (await pages.get("/ops", shown, headers=headers))[0] == 200
    watching = asyncio.create_task(ended(pages, shown, headers=headers))
    await asyncio.sleep(0.5)
    if end == "revoked":
        pages.house.revoke(identity)
    else:
        pages.expire(2 * 86_400)
    assert await watching < 4
    assert (await pages.get("/ops", shown, headers=headers))[0] == 401


async def test_log_out_ends_the_login_and_its_streams(pages: SecuredPages) -> None:
    """Logged out, the cookie is good for nothing, wherever else it was copied to."""
    login = await pages.log_in(pages.house.identity("floor", "flo"))
    watching = asyncio.create_task(ended(pages, None, headers=login))
    await asyncio.sleep(0.5)
    status, _, cookie = await pages.post("/logout", headers=login)
    assert status == 204
    assert cookie.startswith(f'{COOKIE}="";')
    assert "Max-Age=0" in cookie
    assert await watching < 4
    assert (await pages.get("/ops", headers=login))[0] == 401
    assert (await pages.post("/logout", headers=login))[0] == 204, "once more does no harm"


async def test_prometheus_needs_no_more_than_a_monitors_certificate(pages: SecuredPages) -> None:
    """The metrics are there by certificate, without cookie or page."""
    status, text = await pages.get("/metrics", pages.house.identity("monitor", "prometheus"))
    assert status == 200
    assert "jackpot_meter_cents{" in text
