"""Make the gRPC code from proto/ in the folder `generated`."""

import sys
from pathlib import Path

import grpc_tools
from google import rpc
from grpc_tools import protoc

HERE = Path(__file__).resolve().parent
PROTO = HERE.parent.parent / "proto"
OUT = HERE / "generated"


def main() -> int:
    """Run protoc; its exit code."""
    OUT.mkdir(exist_ok=True)
    well_known = Path(grpc_tools.__file__).parent / "_proto"
    google = Path(rpc.__path__[0]).parent.parent  # googleapis-common-protos has google/rpc
    files = [*PROTO.glob("jackpot/v1/*.proto"), *PROTO.glob("conform/v1/*.proto")]
    return protoc.main(
        [
            "protoc",
            f"-I{PROTO}",
            f"-I{google}",
            f"-I{well_known}",
            f"--python_out={OUT}",
            f"--grpc_python_out={OUT}",
            *map(str, files),
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
