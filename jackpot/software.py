"""What software this is: its version, a hash over its installed files, and whose release they are.

The manifest has every file of the `jackpot` package, code and rule data alike, with its SHA-256.
Its own SHA-256 names the software as a whole.

A release carries the manifest that it was built with, signed where a key was given to `make dist`.
A source tree carries none.
"""

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal

from msgspec import Struct

PACKAGE = Path(__file__).resolve().parent
RELEASE = "release.json"  # in the package; not part of what it lists
_MOST_NAMED = 5
Check = Literal["none", "unsigned", "signed", "differs"]


class Software(Struct, frozen=True):
    """What runs here."""

    version: str
    manifest: str
    check: Check
    key: str = ""  # the fingerprint of the key that the release is signed with
    problems: tuple[str, ...] = ()

    @property
    def release(self) -> str:
        """As the journal names it: with what became of the check; "" for a source tree."""
        return "" if self.check == "none" else f"{self.version} {self.manifest} {self.check}"

    @property
    def label(self) -> str:
        """As reports and slips name it."""
        return f"jackpot {self.version}, software {self.manifest[:16]}"


def files_of(package: Path) -> dict[str, str]:
    """Every file of a package that decides what it does -> its SHA-256."""
    return {
        path.relative_to(package).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(package.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts and path.name != RELEASE
    }


def manifest_of(files: Mapping[str, str]) -> str:
    """One hash over all of them."""
    listed = "".join(f"{sha256}  {name}\n" for name, sha256 in sorted(files.items()))
    return hashlib.sha256(listed.encode()).hexdigest()


def statement(version_: str, files: Mapping[str, str]) -> bytes:
    """What a release's signature is about."""
    return f"jackpot release {version_}\n{manifest_of(files)}\n".encode()


def inspect(package: Path = PACKAGE, trusted: Path | None = None) -> Software:
    """Hash the installed files and compare them with the release that they came with.

    A release is checked with the trusted key, where one is named, and else with the key that it
    names itself: then its fingerprint is what to compare.
    """
    files = files_of(package)
    manifest = manifest_of(files)
    try:
        release = json.loads((package / RELEASE).read_bytes())
        listed, named = dict[str, str](release["files"]), str(release["version"])
        public, signature = str(release.get("key", "")), str(release.get("signature", ""))
    except FileNotFoundError:
        return Software(installed_version(), manifest, "none")
    except (OSError, ValueError, TypeError, KeyError):
        return Software(
            installed_version(), manifest, "differs", problems=(f"{RELEASE} can't be read",)
        )
    problems = tuple(_differences(listed, files))
    key = ""
    if signature or trusted:
        key, wrong = _checked(statement(named, listed), signature, public, trusted)
        problems = (*problems, wrong) if wrong else problems
        if not key:
            return Software(named, manifest, "differs", problems=problems)
    check: Check = "differs" if problems else "signed" if signature else "unsigned"
    return Software(named, manifest, check, key, problems)


@cache
def this_software() -> Software:
    """What this process was started from; looked at once."""
    return inspect()


def installed_version() -> str:
    """The version that was installed."""
    # Pages know what runs here from the ledger, and need neither of these.
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415

    from jackpot.console import DISTRIBUTION  # noqa: PLC0415

    try:
        return version(DISTRIBUTION)
    except PackageNotFoundError:
        return "unknown"


def _checked(said: bytes, signature: str, public: str, trusted: Path | None) -> tuple[str, str]:
    """The fingerprint of the key that a signature is checked with, and what is wrong with it."""
    from jackpot import signing  # noqa: PLC0415 - its library takes long to load, and few sign

    try:
        key = signing.load_public(trusted) if trusted else signing.public_key(public)
    except (signing.SigningError, ValueError) as error:
        return "", str(error)
    name = signing.fingerprint(key)
    if signing.is_signed(key, said, signature):
        return name, ""
    return name, f"the release is not signed with key {name}"


def _differences(listed: Mapping[str, str], found: Mapping[str, str]) -> list[str]:
    changed = [
        *(
            f"{name} was changed"
            for name in listed
            if name in found and found[name] != listed[name]
        ),
        *(f"{name} is missing" for name in listed if name not in found),
        *(f"{name} was added" for name in found if name not in listed),
    ]
    more = len(changed) - _MOST_NAMED
    return changed[:_MOST_NAMED] + ([f"and {more} more files"] if more > 0 else [])
