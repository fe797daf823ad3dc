"""Who may look at what is not for the public.

Signs show what everybody on the floor may see. Table panels, the operator page and the metrics are
for staff: without TLS that means a browser on this machine, reached by no other way.
"""

import ipaddress

from starlette.requests import Request

_FORWARDED = ("forwarded", "x-forwarded-for", "x-real-ip")


def may_view(request: Request) -> bool:
    """Whether the caller may see what is for staff."""
    if any(name in request.headers for name in _FORWARDED):
        return False  # a proxy on this machine speaks for somebody elsewhere
    host = request.client.host if request.client else ""
    # A page of another site can make a browser here ask for us under that site's own name.
    return is_loopback(host) and is_loopback(request.url.hostname or "")


def is_loopback(host: str) -> bool:
    """Whether a host's name or address stands for this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
