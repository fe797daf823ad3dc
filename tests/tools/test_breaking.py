"""The check that the protocol breaks no client of the last release unnoticed."""

import importlib.util
import shutil
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
SERVICE = "service TableService {"

pytestmark = pytest.mark.process


def load_tool() -> ModuleType:
    """tools/breaking.py as a module."""
    spec = importlib.util.spec_from_file_location("breaking", ROOT / "tools" / "breaking.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


TOOL = load_tool()


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A project whose protocol is as it was released, but for what is accepted here already."""
    shutil.copytree(ROOT / "proto", tmp_path / "proto")
    return tmp_path


def check(tree: Path, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    """The tool's exit code."""
    monkeypatch.setattr(sys, "argv", ["breaking.py", *arguments])
    code = TOOL.main(tree)
    assert isinstance(code, int)
    return code


def test_a_break_fails_until_it_is_accepted(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is named with its file, once accepted it passes, and a list that is too long fails."""
    assert check(tree, monkeypatch) == 0
    file = tree / "proto" / "jackpot" / "v1" / "table.proto"
    text = file.read_text()
    file.write_text(text.replace("rpc Attach(", "rpc Join("))
    capsys.readouterr()
    assert check(tree, monkeypatch) == 1
    said = capsys.readouterr().out
    assert 'proto/jackpot/v1/table.proto RPC_NO_DELETE Previously present RPC "Attach"' in said
    assert check(tree, monkeypatch, "--accept") == 0
    assert check(tree, monkeypatch) == 0
    file.write_text(text)
    assert check(tree, monkeypatch) == 1
    assert "no longer a break" in capsys.readouterr().out


def test_an_addition_breaks_nothing(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """New calls need no acceptance."""
    file = tree / "proto" / "jackpot" / "v1" / "table.proto"
    more = f"{SERVICE}\n  rpc Greet(AttachRequest) returns (AttachResponse);\n"
    file.write_text(file.read_text().replace(SERVICE, more))
    assert check(tree, monkeypatch) == 0


def test_a_protocol_that_does_not_compile_is_never_accepted(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It ends the check, whatever was asked."""
    (tree / "proto" / "jackpot" / "v1" / "payout.proto").unlink()
    with pytest.raises(SystemExit, match="could not compare"):
        check(tree, monkeypatch, "--accept")
