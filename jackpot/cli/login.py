"""`jackpot login`: let a browser see the pages that are for staff."""

import http.client
import json
import ssl
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click

from jackpot.cli.shared.connection import certified
from jackpot.console import UnreachableException, one_line, print_json

if TYPE_CHECKING:
    from jackpot.wire.identity import Identity


TIMEOUT_S = 5.0
MAX_BYTES = 4_096
CODE_PATH = "/login/code"
# Where the pages say why not, in a line for a person.
_TOLD = {http.client.UNAUTHORIZED, http.client.FORBIDDEN, http.client.SERVICE_UNAVAILABLE}


@click.command()
@click.argument("pages", metavar="HTTPS://HOST:PORT")
@click.option("--json", "json_", is_flag=True, help="Print JSON.")
@one_line
@certified
def login(identity: "Identity", pages: str, *, json_: bool) -> None:
    r"""Log in to the staff pages in a browser.

    Prints an address to open in the browser. The address works once, within five minutes. The
    pages then give you the role of your certificate. You are logged out after twelve hours, or
    when your certificate expires or is revoked.

    \b
    Example:
      jackpot login https://jackpot.example:7480 \
        --cert floor-flo.pem --ca ca.pem
    """
    wrong = click.UsageError(f"{pages!r} is not a valid address; expected https://HOST:PORT")
    try:
        where = urlsplit(pages)
        _ = where.port  # which is looked at only now
    except ValueError as error:
        raise wrong from error
    if where.scheme != "https" or not where.hostname:
        raise wrong
    origin = f"https://{where.netloc}"
    answer = _fetch(identity, where.netloc)
    address = f"{origin}/login#{answer['code']}"
    if json_:
        print_json(answer | {"address": address})
        return
    minutes = answer["valid_s"] // 60
    click.echo(f"{answer['principal']}: open this address within {minutes} minutes; it works once")
    click.echo(f"  {address}")


def _fetch(identity: "Identity", where: str) -> dict[str, Any]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    identity.show_in(context)
    connection = http.client.HTTPSConnection(where, timeout=TIMEOUT_S, context=context)
    try:
        connection.request("POST", CODE_PATH)
        answer = connection.getresponse()
        raw = answer.read(MAX_BYTES)
    except ssl.SSLCertVerificationError as error:
        why = f"the certificate of {where} is not trusted: {error.verify_message}; check --ca"
        raise click.ClickException(why) from error
    except (OSError, http.client.HTTPException) as error:
        raise _failure(error, identity, where) from error
    finally:
        connection.close()
    if answer.status != http.client.OK:
        raise click.ClickException(_refusal(answer.status, raw, where))
    found: dict[str, Any] = json.loads(raw)
    return found


def _failure(error: Exception, identity: "Identity", where: str) -> click.ClickException:
    from jackpot.wire.handshake import fault_of

    if isinstance(error, ssl.SSLError) and "ALERT" not in (error.reason or "ALERT"):
        return click.ClickException(
            f"{where} does not use TLS; expected a controller started with --cert and --ca"
        )
    # TLS 1.3 judges a certificate when the client believes to be in: then it is just hung up on.
    hung_up = isinstance(error, (ssl.SSLError, ConnectionResetError, BrokenPipeError))
    if hung_up and (fault := fault_of(identity)):
        return click.ClickException(f"{where}: {fault}")
    return UnreachableException(f"{where} can't be reached")


def _refusal(status: int, raw: bytes, where: str) -> str:
    if status in _TOLD:
        return raw.decode("utf-8", "replace").strip()
    return f"{where} has no login page; expected the --http address of a controller with TLS"
