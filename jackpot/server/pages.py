"""What the controller's own pages can ask of it: all that can be read, and nothing else.

They speak over a link that only they have, so nobody asks them who they are.
"""

from collections.abc import Mapping

from google.protobuf.descriptor import ServiceDescriptor

from jackpot.auth.gate import Actor
from jackpot.server.admission import Admission
from jackpot.server.calls import Call, Method
from jackpot.server.codec import Command
from jackpot.server.codec.meter import ROWS as METER_ROWS
from jackpot.server.codec.operator import ROWS as OPERATOR_ROWS
from jackpot.server.rpc import Rpc, service

PAGES = Actor("pages")
_ROWS = {**METER_ROWS, **OPERATOR_ROWS}
_READS = {name for name, row in _ROWS.items() if not isinstance(row, Command)}


class Trusting(Admission):
    """Takes every caller for the pages."""

    def admit(self, *_: object) -> Actor:
        """The pages."""
        return PAGES

    def know(self, _call: Call, _rpc: str) -> None:
        """Let them pass."""


def reads(services: Mapping[ServiceDescriptor, Mapping[str, Rpc]]) -> dict[str, Method]:
    """The methods of some services that change nothing."""
    admission, found = Trusting(), dict[str, Method]()
    for descriptor, rpcs in services.items():
        found |= service(descriptor, rpcs, admission)
    return {name: each for name, each in found.items() if name.rpartition("/")[2] in _READS}
