"""Build the two distributions: the client that a vendor installs alone, and the whole project.

Beside them goes a descriptor image of the contract, for clients in other languages.

A file belongs to one of them, and the whole project depends on the client, so that both can be
installed together. Each is built from its own tree, and its sdist builds the same wheel again.

The controller carries its release manifest: every file of `jackpot` with its hash, signed where a
key of `jackpot key init` is given (`make dist KEY=release.key`). Beside the wheels lies a bill of
materials, CycloneDX, of everything that requirements.txt pins.
"""

import argparse
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from jackpot import signing, software

ROOT = Path(__file__).resolve().parent.parent
CLIENT, WHOLE = "jackpot-table-client", "jackpot-controller"
CLIENT_NEEDS = ("googleapis-common-protos", "grpcio", "msgspec", "protobuf", "tenacity")
_BUILD = """
import sys
from setuptools import build_meta
out = sys.argv[1]  # which the builder replaces
print(build_meta.build_sdist(out))
print(build_meta.build_wheel(out))
"""


def tracked() -> list[str]:
    """The files of the project that a distribution may hold."""
    done = subprocess.run(
        ["git", "ls-files", "--", "jackpot", "table_client", "emulator", "LICENSE", "README.md"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()


def is_clients(path: str) -> bool:
    """Whether a file is the client's: the wire, and the SDK beside the tables that play."""
    sdk = path.startswith("table_client/") and path.count("/") == 1
    return sdk or path.startswith("jackpot/wire/")


def project() -> dict[str, object]:
    """What pyproject.toml says of the project."""
    table: dict[str, object] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return table


def client_pyproject() -> str:
    """The client's own project file: the same version, and only what the client needs."""
    whole = project()
    needs = [need for need in whole["dependencies"] if re.match(r"[\w-]+", need)[0] in CLIENT_NEEDS]
    return f"""[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "{CLIENT}"
version = "{whole["version"]}"
description = "The table client of an open progressive jackpot controller."
readme = "README.md"
requires-python = "{whole["requires-python"]}"
license = "{whole["license"]}"
license-files = ["LICENSE"]
dependencies = {needs}

[tool.setuptools]
packages = ["jackpot.wire", "jackpot.wire.v1", "table_client"]

[tool.setuptools.package-data]
"*" = ["py.typed", "*.pyi"]
"""


def whole_pyproject() -> str:
    """The project file without the client's packages, and with a dependency on them."""
    text = (ROOT / "pyproject.toml").read_text()
    need = f'dependencies = [\n    "{CLIENT}=={project()["version"]}",\n'
    text = text.replace("dependencies = [\n", need, 1)
    found = 'include = ["jackpot*", "table_client*", "emulator*"]\n'
    left_out = 'exclude = ["jackpot.wire*", "table_client"]\nnamespaces = true\n'
    if found not in text:
        raise SystemExit("pyproject.toml no longer says which packages there are, as expected here")
    return text.replace(found, found + left_out)


def release_manifest(files: list[str], key: Path | None) -> str:
    """What the controller is compared with wherever it is installed; signed with a key, if any."""
    version = str(project()["version"])
    hashes = {
        file.removeprefix("jackpot/"): hashlib.sha256((ROOT / file).read_bytes()).hexdigest()
        for file in sorted(files)
        if file.startswith("jackpot/")
    }
    release: dict[str, object] = {"version": version, "files": hashes}
    if key is not None:
        private = signing.load_private(key)
        release["key"] = private.public_key().public_bytes_raw().hex()
        release["signature"] = signing.sign(private, software.statement(version, hashes))
    return json.dumps(release, indent=1) + "\n"


def bill_of_materials() -> str:
    """CycloneDX: the project, and every package that is pinned for it to run."""
    pinned = re.findall(
        r"^([A-Za-z0-9._-]+)==(\S+)$", (ROOT / "requirements.txt").read_text(), re.MULTILINE
    )
    version = str(project()["version"])
    return json.dumps(
        {
            "bomFormat": "CycloneDX",
            "specVersion": "1.6",
            "version": 1,
            "metadata": {
                "component": {
                    "type": "application",
                    "name": WHOLE,
                    "version": version,
                    "purl": f"pkg:pypi/{WHOLE}@{version}",
                }
            },
            "components": [
                {
                    "type": "library",
                    "name": name,
                    "version": pinned_version,
                    "purl": f"pkg:pypi/{name.lower().replace('_', '-')}@{pinned_version}",
                }
                for name, pinned_version in pinned
            ],
        },
        indent=1,
    )


def build(
    name: str, files: list[str], pyproject: str, out: Path, made: dict[str, str]
) -> list[str]:
    """One distribution, its sdist and its wheel, from a tree that holds nothing else.

    `made` are files that are not in the repository, by their names.
    """
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / name
        for file in files:
            (tree / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / file, tree / file)
        for file, text in made.items():
            (tree / file).write_text(text)
        (tree / "pyproject.toml").write_text(pyproject)
        (tree / "MANIFEST.in").write_text("graft jackpot\ngraft table_client\ngraft emulator\n")
        command = [sys.executable, "-c", _BUILD, str(out)]
        done = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{name} can't be built:\n{done.stderr}")
    lines = done.stdout.splitlines()
    return [line for line in lines if (out / line).is_file()]


def build_image(out: Path) -> Path:
    """The contract as a descriptor image, for tools that read one instead of proto/."""
    image = out / f"jackpot-{project()['version']}.binpb"
    buf = Path(sys.executable).parent / "buf"
    done = subprocess.run(
        [buf, "build", "proto", "-o", image], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"the descriptor image can't be built:\n{done.stdout}{done.stderr}")
    return image


def main() -> None:
    """Build both into the folder that is named, or dist/; with --key FILE, sign the release."""
    parser = argparse.ArgumentParser()
    parser.add_argument("out", nargs="?", default=ROOT / "dist", type=Path)
    parser.add_argument("--key", type=Path)
    options = parser.parse_args()
    out = options.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    files = tracked()
    clients = [file for file in files if is_clients(file)]
    common = [file for file in files if "/" not in file]
    rest = [file for file in files if not is_clients(file) and "/" in file]
    release = {f"jackpot/{software.RELEASE}": release_manifest(files, options.key)}
    for name, own, text, made in (
        (CLIENT, clients, client_pyproject(), {}),
        (WHOLE, rest, whole_pyproject(), release),
    ):
        for built in build(name, [*common, *own], text, out, made):
            print(f"{out / built}")
    print(build_image(out))
    bill = out / f"{WHOLE}-{project()['version']}.cdx.json"
    bill.write_text(bill_of_materials() + "\n")
    print(bill)
    if options.key is None:
        print("The release is not signed: give a key of `jackpot key init`, make dist KEY=FILE.")
    else:
        key = signing.load_private(options.key).public_key()
        print(f"The release is signed with key {signing.fingerprint(key)}.")


if __name__ == "__main__":
    main()
