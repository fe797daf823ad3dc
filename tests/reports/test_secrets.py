"""A private key is nowhere but in its file."""

import base64
import logging
from pathlib import Path

import pytest
from click.testing import CliRunner

from jackpot.cli.main import main
from jackpot.signing import load_private


def spellings(key: Path) -> list[bytes]:
    """Every way in which a key's secret could be written."""
    raw = load_private(key).private_bytes_raw()
    body = b"".join(key.read_bytes().splitlines()[1:-1])
    return [raw, raw.hex().encode(), raw.hex().upper().encode(), base64.b64encode(raw), body]


def test_no_command_tells_a_key(
    three_days: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Not what is printed, logged or written, whether it works or fails, and not as public key."""
    caplog.set_level(logging.DEBUG)
    key, broken, shared = tmp_path / "site.key", tmp_path / "broken.key", tmp_path / "shared.key"
    out, pdf = tmp_path / "out.jsonl", tmp_path / "slip.pdf"
    told = []

    def run(*args: str, code: int = 0) -> None:
        result = CliRunner().invoke(main, list(args))
        assert result.exit_code == code, result.output
        told.append(result.output.encode())

    run("key", "init", str(key))
    broken.write_text(key.read_text().replace("MC4C", "MC4D"))
    broken.chmod(0o600)
    shared.write_bytes(key.read_bytes())
    shared.chmod(0o644)
    data = ("--data", str(three_days))
    run("export", *data, "--key", str(key), "--out", str(out))
    run("slip", "1", *data, "--key", str(key))
    run("slip", "1", *data, "--key", str(key), "--json")
    run("slip", "1", *data, "--key", str(key), "--pdf", str(pdf))
    run("verify", "--export", str(out), "--key", f"{key}.pub")
    run("key", "show", f"{key}.pub")
    run("key", "init", str(key), code=1)
    for bad in (broken, shared, tmp_path / "none"):
        run("export", *data, "--key", str(bad), "--out", str(out), code=1)
        run("slip", "1", *data, "--key", str(bad), code=1)
    run("verify", "--export", str(out), "--key", str(key), code=1)
    run("key", "show", str(key), code=1)
    told += [path.read_bytes() for path in (out, pdf, Path(f"{key}.pub"))]
    told += [path.read_bytes() for path in three_days.iterdir()]
    told.append(caplog.text.encode())
    for secret in spellings(key):
        assert not any(secret in one for one in told)
