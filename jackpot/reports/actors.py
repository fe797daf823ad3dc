"""Who took something back, as reports and slips say it."""

from jackpot.core.commands.base import Origin, TableOrigin


def taken_back_by(floorperson: str, origin: Origin) -> str:
    """A person who was known by their own credential, or the table.

    Early journals have names that came in tables' messages: nobody knows who was there.
    """
    if not isinstance(origin, TableOrigin):
        return floorperson
    return f"{floorperson}, named by the table" if floorperson else "the table"
