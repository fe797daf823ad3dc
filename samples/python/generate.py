"""Make the gRPC code from proto/ in the folder `generated`."""

import sys
from pathlib import Path

import grpc_tools
from google import rpc
from grpc_tools import protoc

HERE = Path(__file__).resolve().parent
OUT = HERE / "generated"


def find_proto() -> Path:
    """The nearest folder `proto`: your own copy beside this file, or the project's."""
    for folder in (HERE, *HERE.parents):
        if (folder / "proto" / "jackpot").is_dir():
            return folder / "proto"
    sys.exit("no folder proto here or above: copy the project's proto beside generate.py")


def main() -> int:
    """Run protoc; its exit code."""
    OUT.mkdir(exist_ok=True)
    proto = find_proto()
    well_known = Path(grpc_tools.__file__).parent / "_proto"
    google = Path(rpc.__path__[0]).parent.parent  # googleapis-common-protos has google/rpc
    files = [*proto.glob("jackpot/v1/*.proto"), *proto.glob("conform/v1/*.proto")]
    return protoc.main(
        [
            "protoc",
            f"-I{proto}",
            f"-I{google}",
            f"-I{well_known}",
            f"--python_out={OUT}",
            f"--grpc_python_out={OUT}",
            *map(str, files),
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
