"""What can be wrong with how pages are to be served; each is one line for whoever asked."""

from jackpot.wire.errors import PlainError


class DisplayError(PlainError):
    """Base of all of them."""


class ThemeError(DisplayError):
    """A theme file that can't be used."""


class HttpAddressError(DisplayError):
    """An address on which pages can't be served."""


class SeveralSitesError(DisplayError):
    """A controller serves several sites, and none was named."""


class NoSuchSiteError(DisplayError):
    """A controller does not serve the site that was named."""
