"""The auditor knows by itself which commands are malformed, and that they use their numbers."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emulator.soak.audit.auditor import Auditor, ContradictionError
from emulator.soak.audit.entry import Entry
from emulator.soak.audit.terms import read_terms
from emulator.soak.audit.well_formed import _FORMS, malformed_reasons
from jackpot.core.commands.table import Malformed
from jackpot.server.codec.table import PLAYED
from jackpot.wire.v1 import table_pb2 as pb
from tests.emulator.test_auditor import attached, audit, opened
from tests.server.test_malformed import messages

BAD = pb.PlaceWagers(wagers=[pb.Wager(seat=99, bet="x", amount_micros=1)])
LONG = pb.PlaceWagers(wagers=[pb.Wager(seat=1, bet="x", amount_micros=1, player="x" * 200)])


def placed(sequence: int, number: int, wagers: pb.PlaceWagers, reason: str) -> Entry:
    """A refused or, with no reason, an accepted PlaceWagers."""
    response = None if reason else pb.PlaceWagersResponse(sequence=sequence)
    return Entry(sequence, "place_wagers", wagers, response, reason, {}, "a", 1, number)


@pytest.mark.parametrize(("wagers", "reason"), [(BAD, "MALFORMED"), (LONG, "TOO_MANY")])
def test_a_malformed_command_uses_its_number(
    site: Path, wagers: pb.PlaceWagers, reason: str
) -> None:
    """What follows has the next one."""
    auditor = Auditor(read_terms(site))
    audit(auditor, [attached(11), placed(12, 1, wagers, reason), opened(13, 2)])
    assert (auditor.sequence, auditor.audited) == (13, 3)


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        (placed(12, 1, BAD, ""), "was accepted, must be MALFORMED"),
        (placed(12, 1, BAD, "NO_ROUND"), "was NO_ROUND, must be MALFORMED"),
        (placed(12, 1, LONG, "MALFORMED"), "was MALFORMED, must be TOO_MANY"),
        (placed(12, 1, pb.PlaceWagers(wagers=[pb.Wager()]), "TOO_MANY"), "must be MALFORMED"),
        (
            Entry(12, "open_round", pb.OpenRound(), None, "MALFORMED", {}, "a", 1, 1),
            "was MALFORMED, must be accepted",
        ),
    ],
)
def test_a_wrong_word_on_a_commands_form_is_a_contradiction(
    site: Path, entry: Entry, says: str
) -> None:
    """A bad command that is taken, or a good one that is called bad."""
    with pytest.raises(ContradictionError, match=says):
        audit(Auditor(read_terms(site)), [attached(11), entry])


@settings(max_examples=300)
@given(data=st.data(), kind=st.sampled_from(sorted(_FORMS)))
def test_its_own_reading_of_commands_is_the_controllers(data: st.DataObject, kind: str) -> None:
    """Two readers of one message find the same faults, or none."""
    field = pb.PlayCommand.DESCRIPTOR.fields_by_name[kind]
    message = data.draw(messages(field.message_type))
    parsed, wrong = PLAYED[kind].command(message), malformed_reasons(kind, message)
    if isinstance(parsed, Malformed):
        assert parsed.reason in wrong
    else:
        assert not wrong
