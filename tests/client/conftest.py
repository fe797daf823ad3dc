"""The client's tests talk to the same house as the server's."""

from tests.server.conftest import house

__all__ = ["house"]
