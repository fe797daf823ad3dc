"""Code that is generated from proto/ compiles in Java, Go and C#, where their tools are there."""

import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
JARS = Path("/usr/share/java")  # where Debian keeps libraries
GO_SOURCES = "/usr/share/gocode"
CSHARP_PROJECT = """\
<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup><TargetFramework>net{version}</TargetFramework></PropertyGroup>
  <ItemGroup>
    <PackageReference Include="Google.Protobuf" Version="3.*" />
    <PackageReference Include="Grpc.Core.Api" Version="2.*" />
  </ItemGroup>
</Project>
"""

pytestmark = [pytest.mark.process, pytest.mark.slow, pytest.mark.timeout(600)]


def tool(language: str, *names: str) -> str:
    """The first of these programs that is on the path; without any, the test is skipped."""
    if found := optional(*names):
        return found
    pytest.skip(f"{language} was not compiled: {' or '.join(names)} is not on this machine")


def optional(*names: str) -> str:
    """The first of these programs that is on the path, or nothing."""
    return next((found for name in names if (found := shutil.which(name))), "")


def run(*command: str, cwd: Path, **more: str) -> "subprocess.CompletedProcess[str]":
    """Run a tool."""
    return subprocess.run(
        command, check=False, cwd=cwd, capture_output=True, text=True, env={**os.environ, **more}
    )


def must(*command: str, cwd: Path, **more: str) -> None:
    """Run a tool that must end well."""
    done = run(*command, cwd=cwd, **more)
    assert done.returncode == 0, done.stdout + done.stderr


def generate(protoc: str, out: Path, *flags: str, keep: Callable[[str], bool]) -> None:
    """Generate code for proto/, with nothing but that folder to look into."""
    out.mkdir(parents=True, exist_ok=True)
    proto = ROOT / "proto"
    names = [str(path.relative_to(proto)) for path in sorted(proto.rglob("*.proto"))]
    must(protoc, f"-I{proto}", *flags, *filter(keep, names), cwd=proto)


def everything(_name: str) -> bool:
    """All of proto/, with the part of google/rpc that it brings along."""
    return True


def is_ours(name: str) -> bool:
    """All that is not google's."""
    return not name.startswith("google/")


def paths(folder: Path, pattern: str) -> list[str]:
    """Generated files; there must be some."""
    found = [str(path) for path in folder.rglob(pattern)]
    assert found
    return found


def test_java_compiles(tmp_path: Path) -> None:
    """The messages, and the services too where gRPC's generator and library are there."""
    protoc, javac = tool("Java", "protoc"), tool("Java", "javac")
    jars = os.environ.get("CLASSPATH") or os.pathsep.join(map(str, JARS.glob("*.jar")))

    def has(fields: str) -> bool:
        probe = tmp_path / "Probe.java"
        probe.write_text(f"class Probe {{ {fields} }}")
        return not run(javac, "-cp", jars, str(probe), cwd=tmp_path).returncode

    if not has("com.google.protobuf.Message message;"):
        pytest.skip("Java was not compiled: protobuf's library is not in CLASSPATH")
    flags, plugin = [f"--java_out={tmp_path}"], optional("grpc_java_plugin", "protoc-gen-grpc-java")
    services = bool(plugin) and has("io.grpc.Channel a; javax.annotation.Generated b;")
    if services:
        flags += [f"--plugin=protoc-gen-grpc-java={plugin}", f"--grpc-java_out={tmp_path}"]
    generate(protoc, tmp_path, *flags, keep=everything)
    sources = tmp_path / "sources"
    sources.write_text("\n".join(paths(tmp_path / "jackpot", "*.java")))
    must(
        javac, "-nowarn", "-d", "out", "-cp", jars, "-sourcepath", ".", f"@{sources}", cwd=tmp_path
    )
    assert (tmp_path / "out" / "jackpot" / "v1" / "TableConfig.class").is_file()
    assert (tmp_path / "out" / "jackpot" / "v1" / "TableServiceGrpc.class").is_file() == services


def test_go_compiles(tmp_path: Path) -> None:
    """The messages, and the services too where gRPC's generator and library are there."""
    protoc, go = tool("Go", "protoc"), tool("Go", "go")
    tool("Go", "protoc-gen-go")
    source = tmp_path / "src"
    where = {
        "GO111MODULE": "off",
        "GOFLAGS": "",
        "GOPATH": f"{tmp_path}:{os.environ.get('GOPATH') or GO_SOURCES}",
    }
    if run(go, "build", "google.golang.org/protobuf/proto", cwd=tmp_path, **where).returncode:
        pytest.skip("Go was not compiled: google.golang.org/protobuf is not in GOPATH")

    def has(package: str) -> bool:
        return not run(go, "build", package, cwd=tmp_path, **where).returncode

    # A vendor takes google/rpc from the library that gRPC takes it from, if there is one.
    shared = has("google.golang.org/genproto/googleapis/rpc/status")
    keep = is_ours if shared else everything
    generate(protoc, source, f"--go_out={source}", keep=keep)
    if services := bool(optional("protoc-gen-go-grpc")) and has("google.golang.org/grpc"):
        generate(protoc, source, f"--go-grpc_out={source}", keep=keep)
    made = paths(source / "jackpot.example" / "gen" / "jackpot" / "v1", "*.pb.go")
    assert any(path.endswith("_grpc.pb.go") for path in made) == services
    must(go, "vet", "jackpot.example/gen/jackpot/v1", cwd=tmp_path, **where)
    must(go, "build", "jackpot.example/gen/...", cwd=tmp_path, **where)


def test_csharp_compiles(tmp_path: Path) -> None:
    """The messages, and the services too where gRPC's generator is there."""
    protoc, dotnet = tool("C#", "protoc"), tool("C#", "dotnet")
    flags: Sequence[str] = [f"--csharp_out={tmp_path}"]
    if plugin := optional("grpc_csharp_plugin"):
        flags = [*flags, f"--plugin=protoc-gen-grpc={plugin}", f"--grpc_out={tmp_path}"]
    ours = ("jackpot/", "devices/", "conform/", "google/rpc/status")
    generate(protoc, tmp_path, *flags, keep=lambda name: name.startswith(ours))
    version = run(dotnet, "--version", cwd=tmp_path).stdout.partition(".")[0] + ".0"
    (tmp_path / "contract.csproj").write_text(CSHARP_PROJECT.format(version=version))
    if run(dotnet, "restore", cwd=tmp_path).returncode:
        pytest.skip("C# was not compiled: Google.Protobuf could not be had by dotnet restore")
    must(dotnet, "build", "--no-restore", cwd=tmp_path)
