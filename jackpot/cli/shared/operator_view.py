"""Meters, links, payouts and proposals as a person reads them in a terminal of 80 columns."""

from typing import TYPE_CHECKING, Any

from jackpot.console import local_time
from jackpot.core.money import dollars, floor_to_cent, rate_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from google.protobuf.message import Message
    from rich.table import Table

    from jackpot.wire.v1 import meter_pb2, operator_pb2, payout_pb2


def money(amount_micros: int) -> str:
    """An amount as a sign shows it: whole cents, rounded down."""
    return f"${dollars(floor_to_cent(amount_micros))}"


def status_text(status: "meter_pb2.LinkStatus.ValueType") -> str:
    """A link's status in words."""
    from jackpot.wire.v1 import meter_pb2

    return word(meter_pb2.LinkStatus.Name(status), "LINK_STATUS_")


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


def as_json(response: "Message") -> Any:
    """A response as JSON data; 64-bit numbers are strings there, as proto's JSON has them."""
    from google.protobuf.json_format import MessageToDict

    return MessageToDict(
        response, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
    )


def exact(amount_micros: int) -> str:
    """An amount to the micro, where there are any beyond the cent."""
    return f"${dollars(amount_micros)}"


def word(name: str, prefix: str) -> str:
    """An enum's value in words."""
    return name.removeprefix(prefix).replace("_", " ").lower()


def terms_text(terms: "operator_pb2.Terms | operator_pb2.LevelAccounts") -> str:
    """Rates and limit of a level."""
    reserve = f" + {rate_text(terms.reserve_bps)}" if terms.reserve_bps else ""
    limit = f", limit {money(terms.limit_micros)}" if terms.limit_micros else ""
    return f"{rate_text(terms.primary_bps)}{reserve}{limit}"


def transfer_text(transfer: "operator_pb2.Transfer") -> str:
    """What was moved from where to where."""
    from jackpot.wire.v1 import operator_pb2

    pool = word(operator_pb2.Pool.Name(transfer.pool), "POOL_")
    source = f"{transfer.link}/{transfer.level}"
    target = f"{transfer.to_link}/{transfer.to_level}"
    return f"{exact(transfer.amount_micros)} of {source}'s {pool} went to {target}"


def _table(*headings: str, right: tuple[str, ...] = ()) -> "Table":
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in headings:
        table.add_column(heading, justify="right" if heading in right else "left")
    return table


def links_table(links: "Iterable[operator_pb2.Link]") -> "Table":
    """Every level of every link with its money."""
    right = ("METER", "RESERVE", "OVERFLOW")
    table = _table("LINK", "LEVEL", *right, "TERMS", "STATUS", right=right)
    for link in links:
        status = status_text(link.status)
        if link.pending_adjustment:
            status += ", display pending adjustment"
        name = link.id
        for level in link.levels:
            terms = "pots" if link.bad_beat else terms_text(level)
            if level.HasField("next"):
                terms += f"; when resumed {terms_text(level.next)}"
            pools = (level.meter_micros, level.reserve_micros, level.overflow_micros)
            table.add_row(name, level.level, *map(money, pools), terms, status)
            name = status = ""
        if not link.levels:
            table.add_row(name, "", "", "", "", "", status)
    return table


def payout_status(payout: "payout_pb2.Payout") -> str:
    """What a payout waits for."""
    from jackpot.wire.v1 import payout_pb2

    if payout.needs_floorperson and not payout.floorperson:
        return "to validate"
    source = payout_pb2.PayoutSource.Name(payout.source)
    return f"to pay, {word(source, 'PAYOUT_SOURCE_')}"


def payouts_table(payouts: "Iterable[payout_pb2.Payout]") -> "Table":
    """Open payouts, in the order they must be paid."""
    from jackpot.wire.v1 import payout_pb2

    table = _table(
        "ID", "TABLE", "SEAT", "HAND", "LEVEL", "AMOUNT", "WAITS", right=("ID", "SEAT", "AMOUNT")
    )
    for payout in payouts:
        kind = payout_pb2.PayoutKind.Name(payout.kind)
        hand = payout.hand.replace("-", " ")
        if payout.kind in (payout_pb2.PAYOUT_KIND_ENVY, payout_pb2.PAYOUT_KIND_BAD_BEAT):
            role = word(payout_pb2.BadBeatRole.Name(payout.role), "BAD_BEAT_ROLE_")
            hand += f" ({word(kind, 'PAYOUT_KIND_')}{f', {role}' if payout.role else ''})"
        level = f"{payout.link}/{payout.level}" if payout.level else payout.link
        table.add_row(
            str(payout.id),
            payout.table,
            str(payout.seat),
            hand,
            level,
            money(payout.amount_micros),
            payout_status(payout),
        )
    return table


def changes_lines(
    changes: "Iterable[payout_pb2.PayoutChange]", before: "Mapping[int, payout_pb2.Payout]"
) -> list[str]:
    """What became of payouts when something was taken back; `before` is what they were."""
    return [
        f"payout {change.payout}: {_change_text(change, before.get(change.payout))}"
        for change in changes
    ]


def _change_text(change: "payout_pb2.PayoutChange", before: "payout_pb2.Payout | None") -> str:
    if change.closed:
        return "canceled"
    text = exact(change.amount_micros)
    # A request that is repeated finds its own amount.
    if before and before.amount_micros != change.amount_micros:
        text = f"{exact(before.amount_micros)} -> {text}"
    return f"{text}, now at seat {change.seat}" if change.seat else text


def proposal_lines(proposal: "operator_pb2.Proposal") -> list[str]:
    """A proposal with all that its second person must know."""
    from jackpot.wire.v1 import operator_pb2

    kind = word(operator_pb2.ChangeKind.Name(proposal.kind), "CHANGE_KIND_")
    about = f"{proposal.link}/{proposal.level}" if proposal.link else "of the site"
    if proposal.to_link:
        about += f" to {proposal.to_link}/{proposal.to_level}"
    why = proposal.reference
    if proposal.reason:
        reason = operator_pb2.MeterReason.Name(proposal.reason)
        why = f"{word(reason, 'METER_REASON_')}: {why}"
    department = proposal.department or "no department"
    proposed = local_time(proposal.proposed_time.ToMicroseconds())
    return [
        f"{proposal.id}  {kind} {about}",
        f"   before  {proposal.before}",
        f"   after   {proposal.after}",
        f"   why     {why}",
        f"   by      {proposal.proposer} ({department}), {proposed}",
        f"   until   {local_time(proposal.expires_time.ToMicroseconds())}",
    ]
