"""Give the signs of a served house other digits."""

from jackpot.core.commands import Request
from jackpot.core.commands.base import OperatorOrigin
from jackpot.core.commands.operator import ConfigureSite
from jackpot.server.admission import SITE_FILE
from jackpot.server.errors import accepted
from jackpot.wire.request_id import new_request_id
from tests.server.house import SITE, House


async def set_digits(house: House, digits: int) -> None:
    """As a start on another site file would."""
    command = ConfigureSite(dual_control=True, sign_digits=digits)
    origin = OperatorOrigin(SITE_FILE, new_request_id())
    accepted(await house.engine.execute(Request(SITE, origin, command)))
