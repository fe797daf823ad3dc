"""`jackpot` that ends a stream after UNREAD_S, so that tests need not wait for the usual time."""

from jackpot.cli.main import main
from jackpot.front import relay
from jackpot.server import controller

UNREAD_S = 3.0

if __name__ == "__main__":
    controller.usual_fronts = lambda: 0  # the limit is the front's, so it must be in this process
    relay.MAX_UNREAD_S = UNREAD_S  # type: ignore[attr-defined]  # it is imported there
    relay._LOOK_S = UNREAD_S / 4
    main(prog_name="jackpot")
