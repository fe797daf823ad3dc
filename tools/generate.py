"""Generate the Python code for proto/, or with --check say whether the committed code is stale.

Each folder under proto/ has one home in the tree. protoc writes imports by the proto's own
path, so code that lives elsewhere has its imports rewritten to the place where it is kept.
"""

import os
import re
import sys
import tempfile
from pathlib import Path

import grpc_tools
from grpc_tools import protoc

ROOT = Path(__file__).resolve().parent.parent
# proto folder -> package folder that holds the generated code
HOMES = {
    "jackpot/v1": "jackpot/wire/v1",
    "devices/v1": "table_client/table/devices/v1",
    "conform/v1": "emulator/conform/v1",
}


def generate(out: Path) -> dict[Path, str]:
    """Run protoc into `out` and return the text of every file by its place in the tree."""
    protos = sorted(
        path.relative_to(ROOT / "proto")
        for source in HOMES
        for path in (ROOT / "proto" / source).glob("*.proto")
    )
    well_known = Path(grpc_tools.__file__).parent / "_proto"
    args = ["protoc", f"-I{ROOT / 'proto'}", f"-I{well_known}"]
    args += [f"--{kind}_out={out}" for kind in ("python", "grpc_python", "mypy", "mypy_grpc")]
    # protoc looks for its plugins on the path, and `make` does not activate the environment.
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    if protoc.main([*args, *map(str, protos)]) != 0:
        raise SystemExit("protoc failed")
    return {
        ROOT / home / path.name: _at_home(path.read_text())
        for source, home in HOMES.items()
        for path in sorted((out / source).glob("*.py*"))
    }


def _at_home(text: str) -> str:
    """The same code with its imports as the tree has them."""
    for source, home in HOMES.items():
        # Imports only: the descriptor names the proto package, whose length it records.
        old, new = source.replace("/", "."), home.replace("/", ".")
        text = re.sub(rf"(?m)^(from|import) {re.escape(old)}\b", rf"\1 {new}", text)
        text = re.sub(rf"(?<![\w.]){re.escape(old)}(\.\w+_pb2\b)", rf"{new}\1", text)
    return text


def main() -> int:
    """Write the generated code, or compare it with what is committed."""
    with tempfile.TemporaryDirectory() as folder:
        files = generate(Path(folder))
    if "--check" not in sys.argv:
        for path, text in files.items():
            path.write_text(text)
        return 0
    there = {p for home in HOMES.values() for p in (ROOT / home).glob("*_pb2*")}
    stale = sorted(there ^ set(files)) + [
        path for path, text in files.items() if path in there and path.read_text() != text
    ]
    for path in stale:
        print(f"stale: {path.relative_to(ROOT)} (run `make proto`)")
    return bool(stale)


if __name__ == "__main__":
    sys.exit(main())
