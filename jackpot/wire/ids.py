"""What an id may look like: of a site, a link, a table, an account, or a certificate's holder.

One grammar for site files, messages and certificates, so that whatever a file may name can be
named over the wire and hold a certificate.
"""

import re

MAX_ID = 64
SAYS = f"letters, digits, '.', '_' and '-', at most {MAX_ID}, a letter or digit first"
_ID = re.compile(rf"[A-Za-z0-9][A-Za-z0-9._-]{{0,{MAX_ID - 1}}}")


def is_id(text: str) -> bool:
    """Whether a text can name something."""
    return _ID.fullmatch(text) is not None
