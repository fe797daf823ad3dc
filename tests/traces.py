"""Record what goes over the wire as JSON, and compare it with the traces that docs show.

What differs from run to run, such as times, request ids and random bytes, is replaced by its name.
With JACKPOT_TRACES=write the traces are written instead of compared.
"""

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.json_format import MessageToDict
from google.rpc import error_details_pb2, status_pb2

FOLDER = Path(__file__).parents[1] / "docs" / "reference" / "traces"
_DETAILS = "grpc-status-details-bin"
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z")
_ADDRESS = re.compile(r"127\.0\.0\.1:\d+")
_NAMED = {
    "entropy": "<32 random bytes>",
    "server_version": "<version>",
    "version": "<version>",
    "manifest": "<SHA-256 of the installed files>",
}


class Recorder(grpc.aio.UnaryUnaryClientInterceptor):
    """Keeps every call with its answer, in order."""

    def __init__(self) -> None:
        self.exchanges: list[dict[str, Any]] = []

    async def intercept_unary_unary(self, continuation: Any, details: Any, request: Any) -> Any:
        """What gRPC calls."""
        call = await continuation(details, request)
        method = details.method
        method = method.decode() if isinstance(method, bytes) else method
        exchange = {"rpc": method.rpartition(".")[2], "request": as_json(request)}
        try:
            exchange["answer"] = as_json(await call)
        except grpc.aio.AioRpcError as error:
            exchange["error"] = error_json(error)
        self.exchanges.append(exchange)
        return call


@contextmanager
def recorded(monkeypatch: pytest.MonkeyPatch) -> Iterator[Recorder]:
    """Record whatever is called over channels that are opened from now on."""
    recorder = Recorder()
    for name in ("insecure_channel", "secure_channel"):
        opened = getattr(grpc.aio, name)

        def opening(*args: Any, _opened: Any = opened, **options: Any) -> Any:
            return _opened(*args, **options, interceptors=[recorder])

        monkeypatch.setattr(grpc.aio, name, opening)
    yield recorder


def as_json(message: Any) -> Any:
    """A message without what differs from run to run."""
    if isinstance(message, bytes):
        return f"{len(message)} bytes"
    return _plain(MessageToDict(message, preserving_proto_field_name=True))


def error_json(error: grpc.aio.AioRpcError) -> dict[str, Any]:
    """A refusal: its code, and what ErrorInfo and RetryInfo say."""
    told: dict[str, Any] = {"code": error.code().name}
    for key, value in error.trailing_metadata() or ():
        if key == _DETAILS and isinstance(value, bytes):
            status = status_pb2.Status.FromString(value)
            told["message"] = status.message
            for detail in status.details:
                info, retry = error_details_pb2.ErrorInfo(), error_details_pb2.RetryInfo()
                if detail.Unpack(info):
                    told |= {"reason": info.reason, "metadata": _plain(dict(info.metadata))}
                elif detail.Unpack(retry):
                    told["retry_after"] = f"{retry.retry_delay.ToMilliseconds()} ms"
    return told


def _plain(value: Any, key: str = "") -> Any:
    if isinstance(value, dict):
        return {name: _plain(each, name) for name, each in sorted(value.items())}
    if isinstance(value, list):
        return [_plain(each, key) for each in value]
    if key in _NAMED:
        return _NAMED[key]
    if isinstance(value, str):
        value = _TIME.sub("<time>", _UUID.sub("<uuid>", value))
        return _ADDRESS.sub("<address>", value)
    return value


def compare(name: str, trace: Any) -> None:
    """The trace is the one that docs show; or write it, if that is what was asked for."""
    path = FOLDER / f"{name}.json"
    text = json.dumps(trace, indent=2, ensure_ascii=False) + "\n"
    if os.environ.get("JACKPOT_TRACES") == "write":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    assert text == path.read_text("utf-8"), f"{name}: run again with JACKPOT_TRACES=write"
