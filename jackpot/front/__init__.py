"""Fronts: the processes that own the outside sockets and pass raw bytes on to the ledger."""
