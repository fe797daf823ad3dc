"""Who may see what is for staff, and what keeps a page to itself."""

import json
import re
from pathlib import Path

import pytest

from jackpot.display.web.access import is_loopback
from jackpot.display.web.app import Settings
from tests.display.shown import Shown, ask, open_shown

STAFF = ("/ops", "/events/ops", "/table/t1", "/events/table/t1", "/metrics")
PUBLIC = ("/", "/sign/five", "/events/sign/five", "/theme.css", "/health", "/api/site")
FOREIGN = (
    {"X-Forwarded-For": "10.0.0.7"},
    {"Forwarded": "for=10.0.0.7"},
    {"X-Real-IP": "10.0.0.7"},
    {"Via": "1.1 proxy"},
    {"X-Forwarded-Host": "casino.example"},
    {"X-Forwarded-Proto": "https"},
    {"CF-Connecting-IP": "10.0.0.7"},
    {"Host": "a b:99999x"},  # what can't be read is not taken for our own address
    {"Host": "[::1"},
    {"Host": ""},
    {"Host": "casino.example"},  # a page elsewhere that had its name point here
)


@pytest.mark.parametrize("path", STAFF)
async def test_staff_pages_are_for_this_machine(shown: Shown, path: str) -> None:
    """From here they are served; through a proxy or under another name they are not."""
    async with ask(shown.url, path) as answer:
        assert answer.status == 200
    for headers in FOREIGN:
        async with ask(shown.url, path, headers=headers) as answer:
            assert answer.status == 403, headers


@pytest.mark.parametrize("path", STAFF)
async def test_without_tls_nobody_is_staff_unless_asked_for(tmp_path: Path, path: str) -> None:
    """A proxy's default request looks like a browser's on this machine: neither is let in."""
    proxied = {"Host": "127.0.0.1:7480", "Connection": "close"}  # as nginx sends it
    async with open_shown(tmp_path, Settings()) as shown:
        for headers in ({}, proxied):
            async with ask(shown.url, path, headers=headers) as answer:
                assert answer.status == 403
                assert b"--staff-on-loopback" in await answer.body()
        assert (await shown.get("/sign/five", proxied))[0] == 200
        assert (await shown.json("/api/site"))["ops"] is False


async def test_a_loopback_name_may_be_written_in_any_way(shown: Shown) -> None:
    """With or without a port, as an address or a name."""
    for host in ("localhost", "LocalHost:1", "127.0.0.1", "[::1]:7480", "[::1]"):
        assert (await shown.get("/metrics", {"Host": host}))[0] == 200, host


@pytest.mark.parametrize("headers", FOREIGN)
async def test_history_is_for_this_machine(shown: Shown, headers: dict[str, str]) -> None:
    """What a meter did over time is for staff too."""
    assert (await shown.get("/api/history/five/main", headers))[0] == 403


@pytest.mark.parametrize("path", PUBLIC)
async def test_signs_are_for_everyone(shown: Shown, path: str) -> None:
    """What the public may see is served however the browser came."""
    for headers in ({}, *FOREIGN):
        async with ask(shown.url, path, headers=headers) as answer:
            assert answer.status == 200, headers


async def test_the_public_is_not_told_of_tables(shown: Shown) -> None:
    """The index lists tables to staff only."""
    assert len((await shown.json("/api/site"))["tables"]) == 4
    _, text = await shown.get("/api/site", {"X-Forwarded-For": "10.0.0.7"})
    assert json.loads(text)["tables"] == []
    assert json.loads(text)["ops"] is False


@pytest.mark.parametrize(
    "path", ["/", "/sign/five", "/events/sign/five", "/static/sign.js", "/nope"]
)
async def test_every_answer_keeps_to_itself(shown: Shown, path: str) -> None:
    """Each answer forbids inline script and style, other hosts, and guessing of types."""
    async with ask(shown.url, path) as answer:
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "http" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "server" not in answer.headers
        assert "strict-transport-security" not in answer.headers  # there is no TLS to insist on


def test_no_file_names_another_host() -> None:
    """Nothing that is served loads anything from elsewhere."""
    static = Path("jackpot/display/web/static")
    for path in static.glob("*.*"):
        text = path.read_text()
        hosts = set(re.findall(r"//([a-z0-9-]+(?:\.[a-z0-9-]+)+)", text))
        assert hosts <= {"www.w3.org"}, path  # the name of SVG's vocabulary, never fetched
        if path.suffix == ".html":
            assert "<style" not in text
            assert " style=" not in text
            assert "onclick" not in text


@pytest.mark.parametrize(
    ("host", "here"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("[::1]", True),
        ("localhost", True),
        ("128.0.0.1", False),
        ("126.255.255.255", False),
        ("localhost.example", False),
        ("", False),
        ("0.0.0.0", False),
    ],
)
def test_loopback(host: str, here: bool) -> None:
    """Only addresses of this machine count as this machine."""
    assert is_loopback(host) is here
