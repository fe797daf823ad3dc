"""How a certificate says who its holder is: one URI, `jackpot://SITE/ROLE/NAME`."""

import re
from typing import NamedTuple

from cryptography import x509

from jackpot.auth.roles import ROLES, Role
from jackpot.wire.errors import PlainError
from jackpot.wire.ids import SAYS, is_id

SCHEME = "jackpot"
_URI = re.compile(f"{SCHEME}://([^/]*)/([^/]*)/([^/]*)")


class HolderError(PlainError, ValueError):
    """A name that no certificate may carry."""


class Holder(NamedTuple):
    """Who a certificate was issued to."""

    site: str
    role: Role
    name: str

    @property
    def uri(self) -> str:
        """The name inside the certificate."""
        return f"{SCHEME}://{self.site}/{self.role}/{self.name}"


def parse_holder(site: str, role: str, name: str) -> Holder:
    """A holder, or HolderError where a part is not well formed."""
    known = next((candidate for candidate in ROLES if candidate == role), None)
    if known is None:
        raise HolderError(f"{role!r} is not a role; expected one of: {', '.join(ROLES)}")
    for part in (site, name):
        if not is_id(part):
            raise HolderError(f"{part!r} is not a valid name: {SAYS}")
    return Holder(site, known, name)


def holder_of(certificate: x509.Certificate) -> Holder | None:
    """Who a certificate was issued to; None where it names nobody of ours."""
    try:
        extension = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName)
    except (x509.ExtensionNotFound, ValueError):  # none, or one that can't be read
        return None
    for uri in extension.value.get_values_for_type(x509.UniformResourceIdentifier):
        if found := _URI.fullmatch(uri):
            try:
                return parse_holder(*found.groups())
            except HolderError:
                return None
    return None
