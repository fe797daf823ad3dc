"""Every RPC of the proto has one row in the codec, of the kind that its messages call for."""

from collections.abc import Mapping

import pytest
from google.protobuf.descriptor import MethodDescriptor

from jackpot.server.codec import Command, NumberedCommand, Read, RequestedCommand, Row, meter
from jackpot.server.codec import operator as operators
from jackpot.server.codec import table as tables
from jackpot.wire.v1 import meter_pb2, operator_pb2, table_pb2

FILES = {table_pb2: tables.ROWS, operator_pb2: operators.ROWS, meter_pb2: meter.ROWS}
ROWS: Mapping[str, Mapping[str, Row]] = {
    service.name: rows
    for file, rows in FILES.items()
    for service in file.DESCRIPTOR.services_by_name.values()
}
METHODS = [
    method
    for file in FILES
    for service in file.DESCRIPTOR.services_by_name.values()
    for method in service.methods
]
COMMANDS = table_pb2.PlayCommand.DESCRIPTOR.oneofs_by_name["command"].fields
RESULTS = table_pb2.PlayResult.DESCRIPTOR.fields_by_name


def test_rows_and_rpcs_are_the_same() -> None:
    """None is missing, none is left over, and both come in one order."""
    for service, rows in ROWS.items():
        rpcs = [method.name for method in METHODS if method.containing_service.name == service]
        assert list(rows) == rpcs, service
    assert len(METHODS) == sum(map(len, FILES.values()))


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.full_name)
def test_a_row_is_of_the_kind_that_its_request_calls_for(method: MethodDescriptor) -> None:
    """Who sends a number or a request id gives a command; who names only a site reads it."""
    row = ROWS[method.containing_service.name][method.name]
    fields = method.input_type.fields_by_name
    streams = method.client_streaming or method.server_streaming
    assert isinstance(row, NumberedCommand) is ("id" in fields and "command" in fields)
    assert isinstance(row, RequestedCommand) is ("request_id" in fields)
    # What stands as an alarm is known also while no state can be read.
    own = streams or method.name == "ListAlarms"
    assert isinstance(row, Read) is ("site" in fields and not own and not isinstance(row, Command))
    if isinstance(row, RequestedCommand) and row.in_person:
        assert row.in_person in fields


def test_numbered_commands_are_those_of_a_play_stream() -> None:
    """The same row serves the RPC and the field of a stream, whose result has a field alike."""
    numbered = [row for row in tables.ROWS.values() if isinstance(row, NumberedCommand)]
    assert list(tables.PLAYED.values()) == numbered
    assert list(tables.PLAYED) == [field.name for field in COMMANDS]
    for field in COMMANDS:
        assert field.message_type is not None
        response = RESULTS[field.name].message_type
        assert response is not None
        assert response.name == f"{field.message_type.name}Response"
