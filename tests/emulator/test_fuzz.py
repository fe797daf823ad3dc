"""The fuzz in its short form: no message does harm, and one that did would be found."""

import tempfile
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from emulator.cli import main
from emulator.fuzz.command import FuzzError, run_chunk
from emulator.fuzz.ledger import HarmError, Ledger
from emulator.fuzz.messages import METHODS, Messages
from emulator.soak.site import write_site
from jackpot.core.commands import Request
from jackpot.core.reasons import Reason
from jackpot.core.state import State
from jackpot.engine.batch import Decider
from jackpot.rules.site import load_site
from jackpot.server.codec.operator import ROWS


def test_three_thousand_messages_do_no_harm() -> None:
    """No INTERNAL, no UNKNOWN, no state changed by anything refused; a few go over gRPC."""
    outcomes = run_chunk(seed=7, count=3_000, grpc_count=100)
    assert outcomes["accepted"] > 100
    assert outcomes["gRPC OK"] > 5
    assert len({reason for reason in Reason if outcomes[reason]}) > 20
    assert sum(count for name, count in outcomes.items() if name.startswith("gRPC")) == 100
    for event in ("FloorCalled", "CallDeclined", "RoundVoided", "SeatVoided", "IncarnationBegun"):
        assert outcomes[event], event
    assert outcomes["PINs"]


def test_a_pin_that_does_something_elsewhere_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The check of what a PIN is good for can fail, too."""
    real = Decider.decide

    def anywhere(self: Decider, state: State, request: Request) -> Any:
        return real(self, state, replace(request, at_table=""))

    monkeypatch.setattr(Decider, "decide", anywhere)
    with pytest.raises(FuzzError, match="a PIN typed at table-001 did something at table-00"):
        run_chunk(seed=7, count=3_000, grpc_count=0)


def test_the_same_seed_sends_the_same_kinds() -> None:
    """And every RPC gets some."""
    with tempfile.TemporaryDirectory() as folder:
        site = load_site(write_site(Path(folder), 9, herd=False))
    first, second = (Messages(site, 3) for _ in range(2))
    ledger = Ledger(site, 3)
    seen = [(first.next(ledger.state)[0], second.next(ledger.state)[0]) for _ in range(2_000)]
    assert all(one is other for one, other in seen)
    assert {one.full_name for one, _ in seen} == {method.full_name for method in METHODS}


def test_the_same_seed_comes_to_the_same_outcomes() -> None:
    """Cards that are drawn and request ids too: a failure is found again by its seed."""
    one, other = (run_chunk(seed=7, count=1_000, grpc_count=0) for _ in range(2))
    assert one == other


def test_a_refusal_that_changes_the_state_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The check can fail."""
    real = Decider.decide

    def spoiled(self: Decider, state: State, request: Request) -> Any:
        state.last_payout += 1
        return real(self, state, request)

    with tempfile.TemporaryDirectory() as folder:
        site = load_site(write_site(Path(folder), 9, herd=False))
    ledger, messages = Ledger(site, 1), Messages(site, 1)
    monkeypatch.setattr(Decider, "decide", spoiled)

    def send() -> None:
        for turn in range(500):
            ledger.take(*messages.next(ledger.state), turn)

    with pytest.raises(HarmError, match="changed the state"):
        send()


def test_an_exception_is_found_with_its_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told with the seed and the bytes that show it again."""

    def broken(_message: Any) -> Any:
        raise ZeroDivisionError

    monkeypatch.setitem(ROWS, "SuspendLink", type(ROWS["SuspendLink"])(broken, broken))
    with pytest.raises(FuzzError, match=r"seed 1, message \d+: INTERNAL: ZeroDivisionError"):
        run_chunk(seed=1, count=3_000, grpc_count=0)


def test_the_command_says_what_it_did() -> None:
    """One line at the end says that nothing happened."""
    result = CliRunner().invoke(main, ["fuzz", "--messages", "300", "--grpc-share", "0"])
    assert result.exit_code == 0, result.output
    assert "300 messages: 0 INTERNAL, 0 UNKNOWN, 0 state changed" in result.output
