"""Keys, codes and tokens are in their files and with their owners, and nowhere else."""

import base64
import http.client
import json
import ssl
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519

from jackpot.auth.authority import Authority
from jackpot.auth.holder import parse_holder
from jackpot.cli.main import main
from jackpot.wire.identity import Identity
from tests.cli.people import play
from tests.e2e.process import Process
from tests.e2e.test_staff import Staff
from tests.server.house import ROYALS, SITE, free_port

PASSWORD = "tr0ub4dor-and-3"


def spellings(key: Path) -> list[bytes]:
    """Every way in which a private key could be written."""
    private = serialization.load_pem_private_key(key.read_bytes(), None)
    if isinstance(private, ed25519.Ed25519PrivateKey):
        raw = private.private_bytes_raw()
    else:
        assert isinstance(private, ec.EllipticCurvePrivateKey)
        raw = private.private_numbers().private_value.to_bytes(32)
    body = key.read_bytes().splitlines()[1:3]  # the third line is the public half
    digits = str(int.from_bytes(raw)).encode()
    return [
        raw,
        raw.hex().encode(),
        raw.hex().upper().encode(),
        base64.b64encode(raw),
        *body,
        digits,
    ]


class Told:
    """All that anybody but the owner of a secret gets to see."""

    def __init__(self, log: Path) -> None:
        self.texts: list[bytes] = []
        self._log = log

    def run(self, *args: str, identity: Identity | None = None) -> Result:
        """A command; what it prints is told."""
        options: list[str] = []
        if identity:
            options = ["--cert", str(identity.certificate), "--ca", str(identity.authority)]
        result = CliRunner().invoke(main, [*args, *options])
        self.texts.append(result.output.encode())
        return result

    def files(self, *folders: Path) -> None:
        """What is written to disk, key files aside."""
        for folder in folders:
            paths = [folder] if folder.is_file() else folder.rglob("*")
            self.texts += [p.read_bytes() for p in paths if p.is_file() and p.suffix != ".key"]

    def everything(self) -> bytes:
        """In one piece, with the controller's log."""
        log = self._log.read_bytes()
        assert b'"denied"' in log  # it is the log, and denials are in it
        return b"\n".join([*self.texts, log])


def browse(where: str, staff: Staff, code: str, token: str = "") -> tuple[int, str, bytes]:
    """Log in with a code, or look at the operators' page with a token: status, cookie, body."""
    context = ssl.create_default_context(cafile=staff.folder / "ca.pem")
    connection = http.client.HTTPSConnection(where, context=context, timeout=5)
    if token:
        connection.request("GET", "/ops", headers={"Cookie": token})
    else:
        connection.request("POST", "/login", json.dumps({"code": code}))
    answer = connection.getresponse()
    found = answer.status, answer.getheader("set-cookie", ""), answer.read()
    connection.close()
    return found


@pytest.mark.process
def test_no_secret_is_told(tmp_path: Path) -> None:
    """Not by log, error, journal, export, slip, backup or page, whether things go well or not."""
    staff, log = Staff(tmp_path), tmp_path / "controller.log"
    pages = f"127.0.0.1:{free_port()}"
    told = Told(log)
    secrets: list[bytes] = []
    options = (*staff.options, "--http", pages)
    with Process(tmp_path, many=0, options=options, log=log) as process:
        at, data = ("--controller", process.address), ("--data", str(process.store))
        people = {role: staff.identity(role, "ann") for role in ("operations", "floor")}
        table = staff.identity("table", "t4")
        payout = play(process.address, "t4", {2: ROYALS["s"]}, 2, identity=table)[0].id

        # A browser logs in, with the right code and with a wrong one, and looks around.
        answer = told.run("login", f"https://{pages}", "--json", identity=people["floor"])
        code = json.loads(told.texts.pop())["code"]  # for its owner's eyes
        assert answer.exit_code == 0
        status, cookie, body = browse(pages, staff, code)
        token = cookie.split(";")[0]
        assert (status, bool(token)) == (200, True)
        assert browse(pages, staff, code)[0] == 403  # it is used up
        assert browse(pages, staff, "", token)[0] == 200
        told.texts += [body, browse(pages, staff, "wrong")[2], browse(pages, staff, "", token)[2]]
        secrets += [code.encode(), code.replace("-", "").encode(), token.split("=", 1)[1].encode()]

        # Staff at work, and those who have no business here.
        foreign = Authority.create(tmp_path / "foreign", "Other House")
        stranger, _ = foreign.issue(parse_holder(SITE, "operations", "eve"), 1)
        eve = Identity(stranger, staff.folder / "ca.pem")
        how = ("--to", "9,000", "--reason", "malfunction", "--note", "memo", "--yes")
        change = ("adjust", "five", *how, *at)
        assert told.run(*change, identity=people["operations"]).exit_code == 0
        assert told.run(*change, identity=people["floor"]).exit_code == 1
        assert told.run(*change, identity=eve).exit_code == 1
        mixed = tmp_path / "mixed.pem"
        mixed.write_bytes(stranger.read_bytes())
        mixed.with_suffix(".key").write_bytes((staff.folder / "ca.key").read_bytes())
        assert told.run(*change, identity=Identity(mixed, eve.authority)).exit_code == 1
        told.run("ca", "list", "--dir", str(staff.folder))
        told.run("ca", "revoke", "--dir", str(staff.folder), "zz")
        for store in ("127.0.0.1:1/x", "no-such-host.invalid/x"):
            address = f"postgresql://ann:{PASSWORD}@{store}"
            assert told.run("verify", "--store", address).exit_code == 1

        # What is read from the journal, and signed.
        signing, out = tmp_path / "site.key", tmp_path / "day.jsonl"
        told.run("key", "init", str(signing))
        for command in (
            ("export", *data, "--key", str(signing), "--out", str(out)),
            ("slip", str(payout), *data, "--key", str(signing), "--json"),
            ("audit", *data, "--json"),
            ("report", "daily", *data),
            ("backup", str(tmp_path / "copy"), *data),
            ("verify", "--export", str(out), "--key", f"{signing}.pub"),
        ):
            assert told.run(*command).exit_code == 0, command
        assert process.stop() == 0
    told.files(tmp_path / "data", tmp_path / "copy", out, staff.folder, tmp_path / "foreign")
    told.files(Path(f"{signing}.pub"))
    keys = [path for path in tmp_path.rglob("*.key") if path != mixed.with_suffix(".key")]
    assert len(keys) >= 7  # two authorities, a controller, a table, three people, and the site's
    secrets += [spelling for key in keys for spelling in spellings(key)]
    secrets.append(PASSWORD.encode())
    everything = told.everything()
    for secret in secrets:
        assert len(secret) > 8
        assert secret not in everything


@pytest.mark.parametrize("store", ["127.0.0.1:1/x", "127.0.0.1:1/x?sslmode=require"])
def test_a_store_that_is_away_does_not_tell_its_password(tmp_path: Path, store: str) -> None:
    """A controller that can't start says where it looked, without how it would get in."""
    folder = tmp_path / "site.toml"
    folder.write_text(Process(tmp_path, many=0).site.read_text())
    address = f"postgresql://ann:{PASSWORD}@{store}"
    result = CliRunner().invoke(main, ["serve", "--site", str(folder), "--store", address])
    assert result.exit_code == 1
    assert "127.0.0.1" in result.stderr
    assert PASSWORD not in result.output
