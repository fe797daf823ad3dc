"""Connect to PostgreSQL; refuse a server that can lose acknowledged commits.

An address may name several hosts; the one that takes writes is used. A connection never lets a
commit be cancelled or timed out: what became of it would not be known.
"""

import ipaddress
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from jackpot.store.journal import StoreError
from jackpot.store.postgres_check import pin_schema
from jackpot.store.postgres_wire import Session, texts

# A controller that is stopped while it holds a site's lock loses the lock after this long.
HELD_LOCK_S = 2.0
LOCK_WAIT_S = 2 * HELD_LOCK_S
TRANSACTION_S = 5 * HELD_LOCK_S  # however it is stopped
# Defaults for what the address does not say. A host that is silent is given up in seconds.
_DEFAULTS = {
    "target_session_attrs": "read-write",
    "application_name": "jackpot",
    "connect_timeout": "3",
    "keepalives_idle": "3",
    "keepalives_interval": "1",
    "keepalives_count": "3",
    "tcp_user_timeout": "6000",
}
SESSION = {
    "statement_timeout": "0",
    "lock_timeout": f"{LOCK_WAIT_S}s",
    "idle_in_transaction_session_timeout": f"{HELD_LOCK_S}s",
    # A controller may also stop in the middle of a message. No commit is hit by this: the server
    # stops counting when it begins to commit, and waits for the disk and the standby as ever.
    "transaction_timeout": f"{TRANSACTION_S}s",
    "default_transaction_isolation": "read committed",  # each statement sees what is committed
    "client_encoding": "UTF8",
    "client_min_messages": "warning",
}
# What a server does not know, being older, is left out.
_SET = """
    SELECT set_config(name, value, false) FROM pg_settings
    JOIN unnest($1::text[], $2::text[]) AS wanted(name, value) USING (name)
"""
# What must hold, or a commit can be lost that was acknowledged.
_DURABLE = {
    "fsync": ("on",),
    "full_page_writes": ("on",),
    "synchronous_commit": ("on", "remote_apply"),
}


@contextmanager
def connected(address: str, doing: str) -> Iterator[Session]:
    """A connection that is closed again if what is done first with it fails."""
    with as_store_error(f"can't {doing} the journal in {without_password(address)}"):
        session = _connect(address)
        try:
            _configure(session)
            yield session
        except BaseException:
            session.close()
            raise


def verify_durable(session: Session) -> None:
    """Raise where the server can lose a commit that it has acknowledged."""
    rows = session.execute(
        "SELECT name, setting FROM pg_settings WHERE name = ANY($1::text[])", texts(list(_DURABLE))
    )
    found: dict[str, str] = dict(rows)
    for name, wanted in _DURABLE.items():
        if found.get(name) not in wanted:
            raise StoreError(
                f"the server's {name} is {found.get(name)}, not {wanted[0]}: "
                "it can lose commits that it has acknowledged (--accept-lost-commits serves anyway)"
            )


def without_password(address: str) -> str:
    """An address as it may be shown."""
    try:
        parts = _parts(address)
    except StoreError:
        return "the given address"
    hosts = str(parts.get("host", "localhost")).split(",")
    ports = str(parts.get("port", "")).split(",")
    if len(ports) == 1:  # it is for all of them
        ports *= len(hosts)
    places = (f"{host}:{port}" if port else host for host, port in zip(hosts, ports, strict=False))
    return f"postgresql://{','.join(places)}/{parts.get('dbname', '')}"


def to_copy(address: str) -> str:
    """An address for a command that is copied: as given, but never with a password."""
    parts = _parts(address)
    if not any("password" in name for name in parts):
        return address
    user = f"://{quote(str(parts['user']), safe='')}@" if parts.get("user") else "://"
    return without_password(address).replace("://", user, 1)


def unverified_hosts(address: str) -> list[str]:
    """The hosts elsewhere that need not prove who they are before they get the password."""
    parts = _parts(address)
    if (parts.get("sslmode") or os.environ.get("PGSSLMODE")) == "verify-full":
        return []
    named = parts.get("host") or parts.get("hostaddr") or os.environ.get("PGHOST", "")
    return [host for host in str(named).split(",") if not _is_here(host)]


def _is_here(host: str) -> bool:
    if host in ("", "localhost") or host.startswith("/"):  # a socket of this machine
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _parts(address: str) -> dict[str, Any]:
    """The parts of an address; nothing of it is quoted where it can't be read.

    A password with a slash, an at sign or a percent sign that is not spelled as %2F, %40 or %25
    would be taken for a host, a port or a database, and be shown as one.
    """
    try:
        parts = conninfo_to_dict(address)
    except psycopg.Error:
        parts = {"host": "@"}
    ports = str(parts.get("port") or "").replace(",", "") or "0"
    spilled = any("@" in str(parts.get(name) or "") for name in ("host", "dbname"))
    if spilled or not (ports.isascii() and ports.isdigit()):
        raise StoreError(
            "the PostgreSQL address can't be read; expected postgresql://USER@HOST:PORT/DATABASE. "
            "Keep the password in a PGPASSFILE; in an address, spell / as %2F, @ as %40, % as %25"
        ) from None
    return parts


@contextmanager
def as_store_error(doing: str) -> Iterator[None]:
    """A database's error in one line."""
    try:
        yield
    except (psycopg.Error, OSError) as error:
        raise StoreError(f"{doing}: {' '.join(str(error).split())}") from error


def _connect(address: str) -> Session:
    given = _parts(address)
    defaults = {name: value for name, value in _DEFAULTS.items() if name not in given}
    return Session(psycopg.connect(make_conninfo(address, **defaults), autocommit=True))


def _configure(session: Session) -> None:
    session.execute(_SET, texts(list(SESSION)), texts(list(SESSION.values())))
    (encoding,) = session.one("SELECT current_setting('server_encoding')")
    if encoding != "UTF8":
        raise StoreError(f"the database's encoding is {encoding}, not UTF8")
    pin_schema(session)
