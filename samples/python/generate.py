"""Make the gRPC code from proto/ in the folder `generated`."""

import sys
from pathlib import Path

import grpc_tools
from grpc_tools import protoc

HERE = Path(__file__).resolve().parent
PROTO = HERE.parent.parent / "proto"
OUT = HERE / "generated"


def main() -> int:
    """Run protoc; its exit code."""
    OUT.mkdir(exist_ok=True)
    well_known = Path(grpc_tools.__file__).parent / "_proto"
    files = [path for path in PROTO.rglob("*.proto") if "devices" not in path.parts]
    return protoc.main(
        [
            "protoc",
            f"-I{PROTO}",
            f"-I{well_known}",
            f"--python_out={OUT}",
            f"--grpc_python_out={OUT}",
            *map(str, files),
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
