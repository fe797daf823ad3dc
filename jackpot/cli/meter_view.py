"""Meters as a person reads them in a terminal, and as a machine reads them in JSON."""

from typing import TYPE_CHECKING, Any

from jackpot.core.money import dollars, floor_to_cent

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.table import Table

    from jackpot.wire.v1 import meter_pb2


def money(amount_micros: int) -> str:
    """An amount as a sign shows it: whole cents, rounded down."""
    return f"${dollars(floor_to_cent(amount_micros))}"


def status_text(status: "meter_pb2.LinkStatus.ValueType") -> str:
    """A link's status in words."""
    from jackpot.wire.v1 import meter_pb2

    name = meter_pb2.LinkStatus.Name(status).removeprefix("LINK_STATUS_")
    return name.replace("_", " ").lower()


def meters_table(links: "Iterable[meter_pb2.LinkMeters]") -> "Table":
    """All links, a row for each level."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("LINK", "WAGER", "LEVEL"):
        table.add_column(heading)
    table.add_column("METER", justify="right", style="bold green", no_wrap=True)
    table.add_column("HITS", justify="right")
    table.add_column("STATUS")
    for link in links:
        first = (link.title, money(link.wager_micros))
        last = (str(link.hit_count), status_text(link.status))
        for meter in link.meters:
            table.add_row(*first, meter.level, money(meter.amount_micros), *last)
            first, last = ("", ""), ("", "")
    return table


def hit_line(link: "meter_pb2.LinkMeters", hit: "meter_pb2.Hit") -> str:
    """A hit in one line."""
    from jackpot.wire.v1 import meter_pb2

    state = meter_pb2.HitStatus.Name(hit.status).removeprefix("HIT_STATUS_").lower()
    return (
        f"{link.title}: {hit.hand} at {hit.table} seat {hit.seat} "
        f"wins {money(hit.amount_micros)} of {hit.level} ({state})"
    )


def as_json(response: "meter_pb2.ListMetersResponse | meter_pb2.WatchMetersResponse") -> Any:
    """A response as JSON data; 64-bit numbers are strings there, as proto's JSON has them."""
    from google.protobuf.json_format import MessageToDict

    return MessageToDict(
        response, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
    )
