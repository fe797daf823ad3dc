"""Magic Card and Lucky Bonus on the wire: by link, with the random bytes that they come from."""

from pathlib import Path

from jackpot.rules.site import load_site
from jackpot.wire.request_id import new_request_id
from jackpot.wire.v1 import table_pb2
from tests.server.house import SITE, serving, site_text, write_site


async def test_a_lock_out_tells_what_each_link_drew(tmp_path: Path) -> None:
    """And so does an Attach afterwards; a table whose links draw nothing is told nothing."""
    text = site_text().replace('_share = "0%"', '_share = "100%"')
    async with serving(tmp_path / "data", load_site(write_site(tmp_path, text))) as house:
        locked = await (await house.dealer("t1")).locked(1)
        (drawn,) = locked.draws
        assert (drawn.link, len(drawn.entropy)) == ("bonus", 32)
        assert drawn.magic_card == locked.magic_card != ""
        assert drawn.HasField("lucky_position")
        assert drawn.lucky_position == locked.lucky_position
        request = table_pb2.AttachRequest(site=SITE, table="t1", request_id=new_request_id())
        assert list((await house.tables.Attach(request)).round.draws) == [drawn]
        assert not (await (await house.dealer("t4")).locked(1)).draws
