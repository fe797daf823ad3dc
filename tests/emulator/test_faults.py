"""Faults on demand, at random, and on the wire."""

import re
from enum import StrEnum

import pytest

from jackpot.rules.clauses import verify_clause
from table_client.table.devices import wire
from table_client.table.devices.device_faults import (
    FAULT_RULES,
    PPM,
    Chance,
    Fault,
    FaultPlan,
    Target,
)
from table_client.table.devices.model import MAX_ARMED, MAX_SKIP, Method, ShufflerKind
from table_client.table.devices.refusals import Reason
from table_client.table.devices.v1 import devices_pb2 as pb
from table_client.table.randomness import seeded
from tests.emulator.stations import CARD, STACK, cards_of, faults, loaded, refused, station


@pytest.mark.parametrize("fault", Fault)
def test_every_fault_is_an_irregularity_of_the_regulations(fault: Fault) -> None:
    """Each names at least one clause, none twice, and can happen to somebody."""
    rule = FAULT_RULES[fault]
    assert rule.clauses
    assert len(set(rule.clauses)) == len(rule.clauses)
    for clause in rule.clauses:
        verify_clause(clause)
        assert clause.endswith(")")
    assert rule.targets


@pytest.mark.parametrize("kind", wire.ENUMS)
def test_the_wire_has_every_value_under_the_same_name(kind: type[StrEnum]) -> None:
    """An enum of the code and its enum in the proto list the same values, and a way back."""
    prefix = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", kind.__name__).upper()
    names = set(pb.DESCRIPTOR.enum_types_by_name[kind.__name__].values_by_name)
    assert names == {f"{prefix}_{member.name}" for member in kind} | {f"{prefix}_UNSPECIFIED"}
    for member in kind:
        assert wire.member(kind, wire.number(member)) is member


def test_an_unknown_value_on_the_wire_is_malformed() -> None:
    """Zero and values of a later version are refused, never guessed."""
    for value in (0, 9_999):
        with refused(Reason.INVALID_COMMAND):
            wire.member(Fault, value)


def test_every_reason_has_its_explanation_in_order() -> None:
    """The table of reasons is complete and in the order of precedence."""
    assert all(reason.sentence.endswith(".") for reason in Reason)
    assert len({reason.sentence for reason in Reason}) == len(Reason.__members__)


def test_an_injected_fault_waits_for_as_many_chances_as_told() -> None:
    """It lets two deliveries pass, takes effect at the third, and never again."""
    devices = loaded()
    devices.inject_fault(Fault.CARD_FACE_UP, skip=2)
    marked = [any(card.face_up for card in devices.dispense(STACK).cards) for _ in range(6)]
    assert marked == [False, False, True, False, False, False]


def test_injected_faults_take_effect_one_after_the_other() -> None:
    """Two faults for the same chance come at two deliveries, in their order."""
    devices = loaded()
    devices.inject_fault(Fault.PLAYER_ONE_SHORT)
    devices.inject_fault(Fault.PLAYER_ONE_EXTRA)
    assert [len(devices.dispense(STACK).cards) for _ in range(3)] == [4, 6, 5]


def test_a_fault_that_no_device_can_have_is_refused() -> None:
    """Without a shuffler no shuffler jams."""
    devices = loaded(Method.CONTINUOUS_SHOE, ShufflerKind.NONE)
    with refused(Reason.NOT_APPLICABLE):
        devices.inject_fault(Fault.SHUFFLER_JAM)


def test_only_so_many_faults_wait() -> None:
    """The last that fits is taken, one more is refused."""
    devices = station()
    for _ in range(MAX_ARMED):
        devices.inject_fault(Fault.CARD_FACE_UP)
    with refused(Reason.TOO_MANY):
        devices.inject_fault(Fault.CARD_FACE_UP)


@pytest.mark.parametrize(
    ("skip", "allowed"), [(-1, False), (MAX_SKIP, True), (MAX_SKIP + 1, False)]
)
def test_a_fault_skips_only_so_many_chances(skip: int, *, allowed: bool) -> None:
    """The number of chances to let pass has its limits."""
    devices = station()
    if allowed:
        devices.inject_fault(Fault.CARD_FACE_UP, skip=skip)
    else:
        with refused(Reason.INVALID_COMMAND):
            devices.inject_fault(Fault.CARD_FACE_UP, skip=skip)


@pytest.mark.parametrize(
    ("rate_ppm", "allowed"), [(-1, False), (0, True), (PPM, True), (PPM + 1, False)]
)
def test_a_rate_is_a_share_of_a_million(rate_ppm: int, *, allowed: bool) -> None:
    """Rates below none or above all are refused."""
    devices = station()
    if allowed:
        devices.set_fault_rates({Fault.CARD_FACE_UP: rate_ppm})
    else:
        with refused(Reason.INVALID_COMMAND):
            devices.set_fault_rates({Fault.CARD_FACE_UP: rate_ppm})


def test_faults_come_as_often_as_their_rate_says() -> None:
    """A quarter of 8,000 chances is hit within four standard errors; all at a full rate."""
    plan = FaultPlan(seeded("rates"))
    plan.set_rates({Fault.CARD_FACE_UP: PPM // 4})
    hits = sum(plan.draw(Chance.DELIVERY, Target.PLAYER) is not None for _ in range(8_000))
    assert abs(hits - 2_000) < 4 * (8_000 * 0.25 * 0.75) ** 0.5
    plan.set_rates({Fault.CARD_FACE_UP: PPM})
    assert plan.draw(Chance.DELIVERY, Target.PLAYER) is Fault.CARD_FACE_UP
    assert plan.draw(Chance.SHUFFLE) is None


def test_faults_never_change_which_cards_a_seed_deals() -> None:
    """The cards come from the shuffle's own stream: faults draw from another."""
    quiet, troubled = loaded(Method.MANUAL_SHOE), loaded(Method.MANUAL_SHOE)
    troubled.set_fault_rates({Fault.CARD_FACE_UP: PPM // 2, Fault.PLAYER_TALKS: PPM // 2})
    for _ in range(52):
        assert cards_of(troubled.dispense(CARD)) == cards_of(quiet.dispense(CARD))
    assert faults(troubled)
    assert not faults(quiet)
