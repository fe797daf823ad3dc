"""What the controller's own pages can ask of it: to read anything, and to act for a person.

They speak over a link that only they have, so nobody asks them who they are to read. To change
something they show the session of somebody who may.
"""

from collections.abc import Mapping

from google.protobuf.descriptor import ServiceDescriptor

from jackpot.auth.callers import Actor
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


def acts(
    descriptor: ServiceDescriptor, rpcs: Mapping[str, Rpc], admission: Admission
) -> dict[str, Method]:
    """The methods of a service that change something, for whom the admission lets do it."""
    found = service(descriptor, rpcs, admission)
    return {name: each for name, each in found.items() if name.rpartition("/")[2] not in _READS}
