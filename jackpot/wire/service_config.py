"""gRPC's service config for a client of the controller: deadlines, and what gRPC may retry itself.

Reads may be sent again by gRPC, and so may an operator's changes: they have a request id. A table's
commands are not: whoever speaks for a table must know what was answered, may have another
controller to ask, and resends in order. docs/reference/table-contract.md shows this config.
"""

import json
from typing import Any

from jackpot.wire.v1 import table_pb2

_RETRY: dict[str, Any] = {
    "maxAttempts": 3,
    "initialBackoff": "0.1s",
    "maxBackoff": "1s",
    "backoffMultiplier": 2,
    "retryableStatusCodes": ["UNAVAILABLE"],
}
_TABLES = table_pb2.DESCRIPTOR.services_by_name["TableService"]

SERVICE_CONFIG: dict[str, Any] = {
    "methodConfig": [
        {
            "name": [
                {"service": "jackpot.v1.MeterService"},
                {"service": "jackpot.v1.OperatorService"},
            ],
            "retryPolicy": _RETRY,
        },
        {
            # Every command by itself; a Play stream lasts as long as the table plays.
            "name": [
                {"service": _TABLES.full_name, "method": method.name}
                for method in _TABLES.methods
                if not method.client_streaming and not method.server_streaming
            ],
            "timeout": "10s",
        },
    ]
}

SERVICE_CONFIG_OPTION = ("grpc.service_config", json.dumps(SERVICE_CONFIG))
