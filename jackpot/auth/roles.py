"""The tables of roles: who may call which RPC, and where, see which page, and pay from the cage.

Nothing else decides that. docs/reference/roles.md repeats these tables: edit both by hand.
tests/auth/test_matrix.py fails when they differ.
"""

from collections.abc import Container, Mapping
from typing import Literal, get_args

Role = Literal[
    "table",
    "device",
    "sign",
    "monitor",
    "dealer",
    "floor",
    "shift-supervisor",
    "operations",
    "accounting",
    "auditor",
]
ROLES: tuple[Role, ...] = get_args(Role)
PEOPLE: tuple[Role, ...] = (
    "dealer",
    "floor",
    "shift-supervisor",
    "operations",
    "accounting",
    "auditor",
)
# Whom each gRPC listener carries where staff have one of their own; without it, one carries all.
# Signs hang where strangers can reach them, so they stay with the tables; a monitor watches both.
Listener = Literal["tables", "staff"]
LISTENERS: Mapping[Listener, frozenset[Role]] = {
    "tables": frozenset(ROLES) - frozenset(PEOPLE),
    "staff": frozenset(PEOPLE) | {"monitor"},
}
# Two people of different departments make a change; the auditor makes none.
DEPARTMENTS: Mapping[Role, str] = {
    "dealer": "table games",
    "floor": "table games",
    "shift-supervisor": "table games",
    "operations": "operations",
    "accounting": "accounting",
    "auditor": "audit",
}
# Of those who may call PayPayout, whose department pays what the cage pays.
_CAGE: frozenset[Role] = frozenset({"accounting"})

# The certificate of one of these stands for the one table that it names.
FOR_ONE_TABLE: frozenset[Role] = frozenset({"table"})
_METERS: frozenset[Role] = frozenset(ROLES) - {"device"}
_STAFF: frozenset[Role] = frozenset(PEOPLE) - {"dealer"}
_FLOOR: frozenset[Role] = frozenset({"floor", "shift-supervisor"})
# Resetting a meter and altering one are rights of different people, and nobody has both: 58 Pa.
# Code 605a.7(a)(5)-(6). A second person, whoever of these it is, only confirms.
_RESET: frozenset[Role] = frozenset({"shift-supervisor"})
_ALTER: frozenset[Role] = frozenset({"operations", "accounting"})
_CHANGE: frozenset[Role] = _RESET | _ALTER

ACCESS: Mapping[str, frozenset[Role]] = {
    **{
        f"TableService/{rpc}": FOR_ONE_TABLE
        for rpc in (
            "Attach",
            "GetRound",
            "GetTable",
            "Heartbeat",
            "Play",
            "OpenRound",
            "PlaceWagers",
            "WithdrawWagers",
            "LockOut",
            "ConfirmCollection",
            "Settle",
            "VoidRound",
            "CallFloor",
            "WithdrawCall",
            "WatchTable",
            "ContributePot",
            "PlaceDeck",
            "RemoveDeck",
        )
    },
    "MeterService/GetServerInfo": frozenset(ROLES),
    "MeterService/ListSites": _METERS,
    "MeterService/ListMeters": _METERS,
    "MeterService/ListPaytables": _METERS,
    "MeterService/GetLayout": _METERS,
    "MeterService/WatchMeters": _METERS,
    "OperatorService/ListLinks": _STAFF,
    "OperatorService/ListPayouts": _STAFF,
    "OperatorService/ListTables": _STAFF,
    "OperatorService/GetTable": _STAFF,
    "OperatorService/ListProposals": _STAFF,
    "OperatorService/ListAlarms": _STAFF,
    "OperatorService/GetAccount": frozenset({"operations", "accounting", "auditor", "floor"}),
    "OperatorService/PutLinkInService": frozenset({"operations"}),
    "OperatorService/SuspendLink": frozenset({"operations", "floor", "shift-supervisor"}),
    "OperatorService/ResumeLink": frozenset({"operations"}),
    "OperatorService/RetireLink": frozenset({"operations"}),
    "OperatorService/ValidatePayout": _FLOOR,
    "OperatorService/RejectPayout": _FLOOR,
    "OperatorService/VoidTableRound": _FLOOR,
    "OperatorService/VoidTableSeat": _FLOOR,
    "OperatorService/RemoveWager": _FLOOR,
    "OperatorService/ListFloorCalls": _STAFF,
    "OperatorService/ApproveFloorCall": _FLOOR,
    "OperatorService/DeclineFloorCall": _FLOOR,
    "OperatorService/PayPayout": frozenset({"accounting", "floor", "shift-supervisor"}),
    "OperatorService/ResetMeter": _RESET,
    **{
        f"OperatorService/{rpc}": _ALTER
        for rpc in ("AdjustMeter", "TransferFunds", "SetLimit", "SetRate", "SetDualControl")
    },
    "OperatorService/ApproveProposal": _CHANGE,
    "OperatorService/DeclineProposal": _CHANGE,
    "OperatorService/BuyIn": frozenset({"accounting"}),
    "OperatorService/CashOut": frozenset({"accounting"}),
    "OperatorService/CountBox": frozenset({"accounting"}),
    "OperatorService/ConfirmDisplay": frozenset({"accounting"}),
    "OperatorService/VerifyBadBeat": frozenset({"shift-supervisor"}),
    "PinService/SetPin": _FLOOR,
    "PinService/ClearPin": _FLOOR | {"operations"},
    "PinService/ListPins": _FLOOR | {"operations", "auditor"},
}

# What a floorperson may do with a PIN at a table's page: what is the floor's alone.
PIN_ACTS: frozenset[str] = frozenset(
    rpc for rpc, roles in ACCESS.items() if roles == _FLOOR and not rpc.startswith("PinService/")
)
# Who may take away the PIN of another.
PIN_CLEARERS: frozenset[Role] = frozenset({"operations"})

# Pages that are not for everyone, each with the streams and the figures that feed it.
OPS_PAGE, TABLE_PAGE, METRICS_PAGE = "/ops", "/table/<table>", "/metrics"
PAGES: Mapping[str, frozenset[Role]] = {
    OPS_PAGE: _STAFF,
    TABLE_PAGE: _STAFF | {"dealer", "table"},  # the panel hangs where the dealer stands
    METRICS_PAGE: _STAFF | {"monitor"},
}


def carries(listener: Listener, role: Role | None, there: Container[Listener]) -> bool:
    """Whether a listener, of those that there are, carries a role."""
    return "staff" not in there or role in LISTENERS[listener]


CAGE = ", ".join(sorted(DEPARTMENTS[role] for role in _CAGE))  # departments that keep it


def keeps_cage(department: str) -> bool:
    """Whether somebody of a department may pay what the cage pays.

    Without certificates nobody need have a department, and whoever can connect may do everything.
    """
    return not department or department in {DEPARTMENTS[role] for role in _CAGE}
