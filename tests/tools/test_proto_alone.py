"""proto/ compiles by itself: a vendor copies the folder, and needs nothing else of the project."""

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import grpc_tools
import pytest
from google.protobuf import descriptor_pb2

ROOT = Path(__file__).resolve().parents[2]
BUF = Path(sys.executable).parent / "buf"
OPTIONS = ("go_package", "java_package", "csharp_namespace")

pytestmark = pytest.mark.process


@pytest.fixture
def alone(tmp_path: Path) -> Path:
    """A copy of proto/ and nothing else."""
    return Path(shutil.copytree(ROOT / "proto", tmp_path / "proto"))


def run(*command: str | Path, cwd: Path) -> None:
    """Run a tool that must say nothing and end well."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_buf_lints_and_builds_a_copy_alone(alone: Path) -> None:
    """With the module's own settings; the image has package options for other languages."""
    run(BUF, "lint", cwd=alone)
    run(BUF, "build", "-o", "image.binpb", cwd=alone)
    image = descriptor_pb2.FileDescriptorSet.FromString((alone / "image.binpb").read_bytes())
    ours = [
        file for file in image.file if file.package in ("jackpot.v1", "devices.v1", "conform.v1")
    ]
    assert len(ours) == len(list(alone.glob("*/v1/*.proto")))
    assert all(getattr(file.options, option) for file in ours for option in OPTIONS)


def test_protoc_compiles_a_copy_alone(alone: Path) -> None:
    """With no include path but the folder and protoc's own."""
    well_known = Path(grpc_tools.__file__).parent / "_proto"
    protos = [str(path.relative_to(alone)) for path in sorted(alone.rglob("*.proto"))]
    command = [sys.executable, "-m", "grpc_tools.protoc", "-I.", f"-I{well_known}"]
    run(*command, "--descriptor_set_out=all.binpb", *protos, cwd=alone)
    assert (alone / "all.binpb").stat().st_size


def test_a_release_has_a_descriptor_image(tmp_path: Path) -> None:
    """Named for its version, with every service in it."""
    spec = importlib.util.spec_from_file_location("dist", ROOT / "tools" / "dist.py")
    assert spec is not None
    assert spec.loader is not None
    dist = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(dist)
    image = dist.build_image(tmp_path)
    found = descriptor_pb2.FileDescriptorSet.FromString(image.read_bytes())
    services = {service.name for file in found.file for service in file.service}
    assert {"TableService", "MeterService", "OperatorService"} <= services
