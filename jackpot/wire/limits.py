"""Limits for one message, stream, connection and server. Whatever exceeds a limit is refused.

Every limit is far above what a table needs and far below what would hurt the controller.
"""

MAX_MESSAGE_BYTES = 1 << 20  # gRPC itself answers RESOURCE_EXHAUSTED
MAX_REQUEST_BYTES = 64 << 10  # of a message; what lies between is refused with its reason
MAX_SEATS = 32
MAX_WAGERS = 64  # of one command
MAX_BETS = 16  # named in one chip count
MAX_CHIPS = 10_000  # counted for one bet
MAX_BACK = 32  # characters of the color of a deck's backs
MAX_USED_S = 7 * 24 * 3_600  # for which a deck may have been in use already
MAX_CARDS = 16  # in one hand
MAX_TEXT = 128  # characters of a name, a note or a reference
MAX_NUMBER = 1 << 53  # epochs, numbers and payouts; exact in every language
MAX_COMMANDS = 32  # of one PlayRequest, and unanswered on one stream
MAX_CALLS_EACH = 64  # of one certificate at once, streams apart
MAX_TABLE_STREAMS = 8  # of one table's certificate
MAX_STREAMS_EACH = 256  # of any other certificate; many signs may share one
MAX_STREAMS = 1_024
MAX_WATCHERS = 1_024
STAFF_WATCHERS = 64  # of these, the places that signs and tables leave to staff and monitors
MAX_WATCHED_LINKS = 64
MAX_PAGE = 1_000  # of a list
MAX_AHEAD_S = 600  # how far a caller's clock may run ahead before its ids would shadow others
HEARTBEAT_S = 5.0  # between two heartbeats of a table
PROGRESS_S = 5.0  # after which a watch says that it is alive
FRAME_GAP_S = 0.05  # between two messages of a watch: eyes follow no more than 20 a second
MAX_UNREAD_S = 20.0  # how long a client may leave unread what it was sent
MAX_CALLS = 100  # at once on one connection, streams included; HTTP/2 advises against less
MAX_CONNECTIONS = 4_096  # each is an open file; gRPC itself closes the next
MAX_METADATA_BYTES = 8 << 10  # of one call
MAX_HANDSHAKE_S = 10  # for TLS and HTTP/2 to begin; gRPC would wait two minutes

# For a server: what HTTP/2 keeps of a caller before anybody knows whether they may call at all.
# Calls that are opened and reset at once are work all the same, so as many as one likes would push
# everybody else's out of the queue.
CONNECTION_OPTIONS = (
    ("grpc.max_concurrent_streams", MAX_CALLS),
    ("grpc.max_allowed_incoming_connections", MAX_CONNECTIONS),
    # Between the two gRPC would refuse at random.
    ("grpc.max_metadata_size", MAX_METADATA_BYTES),
    ("grpc.absolute_max_metadata_size", MAX_METADATA_BYTES),
    ("grpc.server_handshake_timeout_ms", MAX_HANDSHAKE_S * 1_000),
)
