"""A table's shuffler and shoe: what they can do, and the gRPC client that reaches them.

A table needs only `Devices` (api.py). `RemoteDevices` reaches a device process over gRPC;
`emulator.devices` emulates the devices, in a process of their own or in the table's.
"""
