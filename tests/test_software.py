"""What software this is: a hash over its files, compared with the release that they came with."""

import json
import re
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from jackpot import software
from jackpot.cli.main import main
from jackpot.core.events.operator import SiteConfigured
from jackpot.rules.site import load_site
from jackpot.server import controller
from jackpot.signing import load_private, make_key, public_path, sign
from jackpot.software import RELEASE, Software, files_of, inspect, manifest_of, statement
from jackpot.store import codec
from jackpot.store.opening import open_to_read
from jackpot.wire.v1 import meter_pb2
from tests.server.house import SITE, open_house, serving, site_text, write_site

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package of two files."""
    folder = tmp_path / "jackpot"
    (folder / "rules").mkdir(parents=True)
    (folder / "code.py").write_text("print()\n")
    (folder / "rules" / "one.toml").write_text("a = 1\n")
    return folder


def release(package: Path, key: Path | None = None) -> None:
    """Give a package its release manifest, as `make dist` does."""
    files = files_of(package)
    content: dict[str, object] = {"version": "9.9", "files": files}
    if key:
        private = load_private(key)
        content["key"] = private.public_key().public_bytes_raw().hex()
        content["signature"] = sign(private, statement("9.9", files))
    (package / RELEASE).write_text(json.dumps(content))


def test_every_file_counts(package: Path) -> None:
    """Code and rule data alike, by content and by name; bytecode does not."""
    before = manifest_of(files_of(package))
    (package / "__pycache__").mkdir()
    (package / "__pycache__" / "code.pyc").write_bytes(b"1")
    assert manifest_of(files_of(package)) == before
    (package / "rules" / "one.toml").write_text("a = 2\n")
    changed = manifest_of(files_of(package))
    assert changed != before
    (package / "code.py").rename(package / "kode.py")
    assert manifest_of(files_of(package)) not in {before, changed}


def test_a_source_tree_has_no_release(package: Path) -> None:
    """It says so, and does not fail."""
    assert inspect(package).check == "none"
    assert inspect(package).release == ""


def test_a_signed_release_is_known_by_its_key(package: Path, tmp_path: Path) -> None:
    """By the key that it names, or by the one that somebody trusts; another's is refused."""
    fingerprint = make_key(tmp_path / "release.key")
    make_key(tmp_path / "other.key")
    release(package, tmp_path / "release.key")
    found = inspect(package)
    assert (found.check, found.key, found.version) == ("signed", fingerprint, "9.9")
    assert inspect(package, public_path(tmp_path / "release.key")).check == "signed"
    other = inspect(package, public_path(tmp_path / "other.key"))
    assert other.check == "differs"
    assert "not signed with key" in other.problems[0]


def test_an_unsigned_release_is_no_signed_one(package: Path, tmp_path: Path) -> None:
    """Nobody's word is taken for it, least of all a trusted key's."""
    make_key(tmp_path / "release.key")
    release(package)
    assert inspect(package).check == "unsigned"
    assert inspect(package, public_path(tmp_path / "release.key")).check == "differs"


@pytest.mark.parametrize("how", ["changed", "missing", "added", "version", "manifest"])
def test_what_differs_is_named(package: Path, tmp_path: Path, how: str) -> None:
    """A changed, missing or added file, another version, a manifest edited to fit."""
    make_key(tmp_path / "release.key")
    release(package, tmp_path / "release.key")
    content = json.loads((package / RELEASE).read_text())
    if how == "changed":
        (package / "code.py").write_text("steal()\n")
    elif how == "missing":
        (package / "rules" / "one.toml").unlink()
    elif how == "added":
        (package / "more.py").write_text("")
    elif how == "version":
        content["version"] = "9.8"
    else:
        (package / "code.py").write_text("steal()\n")
        content["files"] = files_of(package)
    (package / RELEASE).write_text(json.dumps(content))
    found = inspect(package)
    assert found.check == "differs"
    expected = "not signed with key" if how in {"version", "manifest"} else f"was {how}"
    expected = "is missing" if how == "missing" else expected
    assert expected in found.problems[0]


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"files": 1}', '{"files": {}, "key": "x"}'])
def test_a_manifest_that_makes_no_sense_differs(package: Path, content: str) -> None:
    """In one line, without a traceback."""
    (package / RELEASE).write_text(content)
    assert inspect(package).check == "differs"


def test_the_command_shows_and_verifies(monkeypatch: pytest.MonkeyPatch) -> None:
    """A source tree is shown; asked to verify it, the command fails in one line."""
    result = CliRunner().invoke(main, ["version"])
    assert result.exit_code == 0
    assert f"manifest {software.this_software().manifest}" in result.output
    result = CliRunner().invoke(main, ["version", "--verify"])
    assert result.exit_code == 1
    assert "not verified: this is a source tree" in result.output
    monkeypatch.setattr(software, "inspect", lambda **_: Software("9.9", "ab" * 32, "signed", "k"))
    result = CliRunner().invoke(main, ["version", "--verify", "--json"])
    assert json.loads(result.output)["check"] == "signed"


def test_hashing_does_not_hold_up_a_start() -> None:
    """All files are hashed in a moment; the limit is for a machine that is very busy."""
    began = time.process_time()
    inspect()
    assert time.process_time() - began < 1.0


async def test_the_controller_says_what_it_runs(tmp_path: Path) -> None:
    """The same hash that `jackpot version` shows."""
    async with open_house(tmp_path) as house:
        found = await house.meters.GetServerInfo(meter_pb2.GetServerInfoRequest())
    assert found.manifest == software.this_software().manifest
    assert found.release == meter_pb2.RELEASE_CHECK_NONE
    assert found.version


async def test_another_release_is_journaled_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When it first runs, and not at the next start; a source tree never is."""
    site = load_site(write_site(tmp_path, site_text()))
    noted = []
    for manifest, check in (("aa", "none"), ("aa", "signed"), ("aa", "signed"), ("bb", "differs")):
        ran = Software("9.9", manifest, check)  # type: ignore[arg-type]  # one of them
        monkeypatch.setattr(controller, "this_software", lambda ran=ran: ran)
        async with serving(tmp_path / "data", site):
            pass
        noted.append(releases(tmp_path / "data"))
    assert noted == [[], *[["9.9 aa signed"]] * 2, ["9.9 aa signed", "9.9 bb differs"]]


def releases(store: Path) -> list[str]:
    """What the journal says of software."""
    journal = open_to_read(store)
    events = [codec.decode_entry(SITE, entry).event for entry in journal.read(SITE, 0, 1_000)]
    journal.close()
    return [e.software for e in events if isinstance(e, SiteConfigured) and e.software]


def test_the_lock_has_a_hash_for_every_pinned_package() -> None:
    """requirements.lock and requirements.txt name the same versions; see tools/lock.py."""
    pinned = re.findall(r"^(\S+==\S+)$", (ROOT / "requirements.txt").read_text(), re.MULTILINE)
    locked = re.findall(
        r"^(\S+==\S+) \\\n    --hash=sha256:[0-9a-f]{64}$",
        (ROOT / "requirements.lock").read_text(),
        re.MULTILINE,
    )
    assert {named(each) for each in pinned} == {named(each) for each in locked}
    assert len(pinned) == len(locked)


def named(requirement: str) -> str:
    """A requirement whose name is spelled in one way."""
    return requirement.lower().replace("_", "-")
