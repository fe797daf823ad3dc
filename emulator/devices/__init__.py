"""The devices at a table: shufflers, shoes and the hand, as state machines, in process or by gRPC.

A table needs only `Devices` (table_client.table.devices.api): `LocalDevices` runs them in its own
process, `RemoteDevices` over gRPC against `jackpot-emulator devices`. Both behave alike.
Which faults they can have is table_client.table.devices.device_faults.
"""
