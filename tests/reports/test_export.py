"""Exports: signed, and checked where there is no database."""

import base64
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from jackpot.cli.main import main
from jackpot.reports.export import Findings, verify_export, write_export
from jackpot.reports.walk import open_walk
from jackpot.signing import SigningError, fingerprint, load_private, load_public, make_key
from jackpot.store.journal import StoreError


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A signing key."""
    path = tmp_path_factory.mktemp("keys") / "site.key"
    make_key(path)
    return path


def public(key: Path) -> Path:
    """Its public half."""
    return key.with_name("site.key.pub")


def exported(data: Path, key: Path, target: Path, first: int = 1, last: int = 0) -> Path:
    """A file with a range of the journal."""
    with target.open("w", newline="\n") as file, open_walk(data) as walk:
        write_export(walk, file, load_private(key), first, last)
    return target


def found(path: Path, key: Path) -> Findings:
    """What checking says."""
    return verify_export(path, load_public(public(key)))


@pytest.mark.parametrize(("first", "last"), [(1, 0), (1, 1), (2, 50), (51, 0)])
def test_a_range_is_sound(
    three_days: Path, key: Path, tmp_path: Path, first: int, last: int
) -> None:
    """Whole, one entry, from the middle or to the end: with the hash of its last entry."""
    path = exported(three_days, key, tmp_path / "out.jsonl", first, last)
    told = found(path, key)
    assert told.ok, told.problem
    lines = path.read_text().splitlines()
    assert (told.first, told.last) == (first, last or len(lines) + first - 3)
    assert told.hash == json.loads(lines[-2])["hash"]
    assert told.key == fingerprint(load_public(public(key)))


@pytest.mark.parametrize(("first", "last"), [(0, 1), (3, 2), (1, 10_000)])
def test_a_range_that_is_not_there_is_refused(
    three_days: Path, key: Path, tmp_path: Path, first: int, last: int
) -> None:
    """Nothing is signed that does not exist."""
    with pytest.raises(StoreError, match="the journal has entries 1 to"):
        exported(three_days, key, tmp_path / "out.jsonl", first, last)


def compact(line: dict[str, object]) -> str:
    """A line as an export writes it."""
    return json.dumps(line, separators=(",", ":"), ensure_ascii=False)


def _edit_body(lines: list[str]) -> None:
    line = json.loads(lines[4])
    line["body"] = line["body"].replace("10000000000", "10000000001", 1)
    lines[4] = compact(line)


def _edit_time(lines: list[str]) -> None:
    line = json.loads(lines[4])
    line["time_micros"] += 1
    lines[4] = compact(line)


def _other_site(lines: list[str]) -> None:
    lines[0] = lines[0].replace("golden", "silver")


def _other_start(lines: list[str]) -> None:
    line = json.loads(lines[0])
    last = line["previous_hash"][-1]
    line["previous_hash"] = line["previous_hash"][:-1] + ("1" if last == "0" else "0")
    lines[0] = compact(line)


def _other_end(lines: list[str]) -> None:
    del lines[-2]


def _unsigned(lines: list[str]) -> None:
    del lines[-1]


def _twice_signed(lines: list[str]) -> None:
    lines.append(lines[-1])


def _left_out(lines: list[str]) -> None:
    del lines[4]


def _forged(lines: list[str]) -> None:
    line = json.loads(lines[-1])
    line["signature"] = line["signature"][::-1]
    lines[-1] = compact(line)


def _nonsense(lines: list[str]) -> None:
    lines[4] = "no JSON"


def _nothing(lines: list[str]) -> None:
    lines.clear()


@pytest.mark.parametrize("first", [1, 2])
@pytest.mark.parametrize(
    "damage",
    [
        _edit_body,
        _edit_time,
        _other_site,
        _other_start,
        _other_end,
        _unsigned,
        _twice_signed,
        _left_out,
        _forged,
        _nonsense,
        _nothing,
    ],
    ids=lambda damage: damage.__name__,
)
def test_whatever_is_changed_is_found(
    three_days: Path, key: Path, tmp_path: Path, first: int, damage: object
) -> None:
    """An edited, missing, added or cut line, another site, a forged signature."""
    path = exported(three_days, key, tmp_path / "out.jsonl", first, 20)
    lines = path.read_text().splitlines()
    damage(lines)  # type: ignore[operator]  # one of the above
    path.write_text("".join(f"{line}\n" for line in lines))
    told = found(path, key)
    assert not told.ok
    assert told.problem


def _added(lines: list[str], at: int) -> None:
    lines[at] = lines[at][:-1] + ',"note":"paid twice"}'


def _repeated(lines: list[str], at: int) -> None:
    name = "site" if at == 0 else "hash"
    lines[at] = lines[at].replace("{", f'{{"{name}":"somebody else",', 1)


def _spaced(lines: list[str], at: int) -> None:
    lines[at] = lines[at].replace(":", ": ", 1)


def _capitals(lines: list[str], at: int) -> None:
    line = json.loads(lines[at])
    name = "previous_hash" if at == 0 else "hash"
    line[name] = line[name].upper()
    lines[at] = compact(line)


@pytest.mark.parametrize("at", [0, 4, -1], ids=["start", "entry", "end"])
@pytest.mark.parametrize(
    "respell", [_added, _repeated, _spaced, _capitals], ids=lambda respell: respell.__name__
)
def test_an_export_has_one_spelling(
    three_days: Path, key: Path, tmp_path: Path, respell: object, at: int
) -> None:
    """Unknown fields, fields that stand twice and other bytes are found, though values agree."""
    path = exported(three_days, key, tmp_path / "out.jsonl", 2, 20)
    lines = path.read_text().splitlines()
    respell(lines, at)  # type: ignore[operator]  # one of the above
    path.write_text("".join(f"{line}\n" for line in lines))
    assert not found(path, key).ok


def test_an_export_ends_with_its_last_line(three_days: Path, key: Path, tmp_path: Path) -> None:
    """Neither more nor less than what was written."""
    path = exported(three_days, key, tmp_path / "out.jsonl", 2, 20)
    whole = path.read_bytes()
    for raw in (whole[:-1], whole + b"\n", whole.replace(b"\n", b"\r\n")):
        path.write_bytes(raw)
        assert not found(path, key).ok
    path.write_bytes(whole)
    assert found(path, key).ok


def test_a_signature_has_one_spelling(three_days: Path, key: Path, tmp_path: Path) -> None:
    """The last bits of its text that stand for nothing are what they always are."""
    path = exported(three_days, key, tmp_path / "out.jsonl", 2, 20)
    lines = path.read_text().splitlines()
    line = json.loads(lines[-1])
    signature = line["signature"]
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    line["signature"] = signature[:-3] + letters[letters.index(signature[-3]) + 1] + "=="
    assert base64.b64decode(line["signature"]) == base64.b64decode(signature)
    lines[-1] = compact(line)
    path.write_text("".join(f"{line}\n" for line in lines))
    assert found(path, key).problem == "this key did not sign the file"


@pytest.mark.parametrize("where", ["key", "site"])
def test_nothing_is_said_in_the_files_own_words(
    three_days: Path, key: Path, tmp_path: Path, where: str
) -> None:
    """A name with a line of its own can't make the command say that line."""
    path = exported(three_days, key, tmp_path / "out.jsonl", 2, 20)
    lines = path.read_text().splitlines()
    at = 0 if where == "site" else -1
    lines[at] = compact(json.loads(lines[at]) | {where: "x\nsigned by the Board"})
    path.write_text("".join(f"{line}\n" for line in lines))
    args = ["verify", "--export", str(path), "--key", str(public(key))]
    result = CliRunner().invoke(main, args)
    assert result.exit_code == 1
    assert len(result.stdout.splitlines()) == 1
    assert "NOT SOUND" in result.stdout


def test_another_key_did_not_sign_it(three_days: Path, key: Path, tmp_path: Path) -> None:
    """Only the owner's public key fits."""
    path = exported(three_days, key, tmp_path / "out.jsonl")
    make_key(tmp_path / "site.key")
    told = found(path, tmp_path / "site.key")
    assert (told.ok, told.problem) == (False, "this key did not sign the file")


def test_commands_write_and_check(three_days: Path, key: Path, tmp_path: Path) -> None:
    """`export` and `verify --export` agree, and a damaged file exits 1."""
    out = tmp_path / "out.jsonl"
    run = CliRunner().invoke
    args = ["export", "--data", str(three_days), "--key", str(key), "--out", str(out)]
    assert run(main, args).stdout.startswith("golden: entries 1 to ")
    checked = ["verify", "--export", str(out), "--key", str(public(key))]
    good = run(main, checked)
    assert (good.exit_code, good.stdout.startswith("golden: sound, entries 1 to ")) == (0, True)
    assert json.loads(run(main, [*checked, "--json"]).stdout)["ok"] is True
    out.write_text(out.read_text().replace("royal-flush", "royal-blush", 1))
    bad = run(main, checked)
    assert bad.exit_code == 1
    assert "NOT SOUND: golden, sequence 2: " in bad.stdout
    assert run(main, ["verify", "--export", str(out)]).exit_code == 2
    assert run(main, ["verify"]).exit_code == 2


def test_a_key_is_its_owners_alone(tmp_path: Path) -> None:
    """The file has mode 0600, is never overwritten, and is refused when others can read it."""
    path = tmp_path / "site.key"
    name = make_key(path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert name == fingerprint(load_public(public(path)))
    with pytest.raises(SigningError, match="File exists"):
        make_key(path)
    path.chmod(0o640)
    with pytest.raises(SigningError, match="other users can read"):
        load_private(path)


@pytest.mark.parametrize("load", [load_private, load_public])
def test_what_is_no_key_is_one_sentence(tmp_path: Path, load: object) -> None:
    """A missing file and a file of something else."""
    with pytest.raises(SigningError, match="No such file"):
        load(tmp_path / "none")  # type: ignore[operator]  # one of the two
    other = tmp_path / "other"
    other.write_text("hello")
    other.chmod(0o600)
    with pytest.raises(SigningError, match=r"is not a .* key"):
        load(other)  # type: ignore[operator]  # one of the two
