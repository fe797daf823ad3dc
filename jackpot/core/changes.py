"""Decide changes of meters and of what feeds them, and the second person's approval.

The operator is custodian: what players put in goes to players. What leaves a meter goes to overflow
or another meter, never to the house, except where it corrects a malfunction. Under dual control a
change is only proposed; it takes effect when another person of another department approves it, at
the meters of that moment, unless the link has paid an award that the proposal could not foresee, or
its meter or limit was changed otherwise: what happens to a meter is what both have looked at.
"""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from jackpot.core import ledger
from jackpot.core.commands import Request
from jackpot.core.commands.base import OperatorOrigin
from jackpot.core.commands.operator import (
    AdjustMeter,
    ApproveProposal,
    Change,
    ConfigureSite,
    DeclineProposal,
    NoteSoftware,
    ResetMeter,
    SetDualControl,
    SetLimit,
    SetRate,
    TransferFunds,
)
from jackpot.core.config import Level
from jackpot.core.events.operator import (
    Approval,
    DualControlSet,
    FundsTransferred,
    MeterAdjusted,
    ParametersChanged,
    ProposalDeclined,
    Proposed,
    SiteConfigured,
)
from jackpot.core.incarnation import lost_proposal
from jackpot.core.ledger import Book
from jackpot.core.links import find_level, find_link
from jackpot.core.money import BPS_PER_WHOLE, MICROS_PER_CENT, dollars, rate_text
from jackpot.core.reasons import Reason, Refusal, refuse
from jackpot.core.state import Proposal, State

PROPOSAL_LIFE_MICROS = 24 * 60 * 60 * 1_000_000
MAX_PROPOSALS = 256
RATE_CHANGED = "RATE_CHANGED"

Effect = MeterAdjusted | FundsTransferred | ParametersChanged | DualControlSet


def change(state: State, command: Change, request: Request) -> Effect | Proposed | Refusal:
    """Make a change, or propose it if the site has dual control."""
    effect = _effect(state, command)
    if isinstance(effect, Refusal):
        return effect
    origin = _operator(request)
    if not state.dual_control:
        return replace(effect, approval=Approval(0, origin.principal, ""))
    now = request.time_micros
    waiting = sum(proposal.expires_micros > now for proposal in state.proposals.values())
    if waiting >= MAX_PROPOSALS:
        return refuse(Reason.TOO_MANY, proposals=waiting)
    before, after = _summary(state, effect)
    return Proposed(
        Proposal(
            id=state.last_proposal + 1,
            change=command,
            proposer=origin.principal,
            department=origin.department,
            time_micros=request.time_micros,
            expires_micros=request.time_micros + PROPOSAL_LIFE_MICROS,
            link="" if isinstance(command, SetDualControl) else command.link,
            hit_count=_hit_count(state, command),
            before=before,
            after=after,
            by_micros=_by(effect),
        )
    )


def _hit_count(state: State, command: Change) -> int:
    """How often the links that a change touches have hit."""
    if isinstance(command, SetDualControl):
        return 0
    links = {command.link, getattr(command, "to_link", command.link)}
    return sum(state.links[link].hit_count for link in links)


def _last_change(state: State, command: Change) -> int:
    """When a meter that a change touches was last changed by hand.

    Terms don't depend on meters, and those that wait for the same resumption add up.
    """
    match command:
        case SetLimit() | SetRate() | SetDualControl():
            return 0
        case TransferFunds():
            to = state.last_change.get(ledger.key(command.to_link, command.to_level), 0)
        case _:
            to = 0
    return max(to, state.last_change.get(ledger.key(command.link, command.level), 0))


def _by(effect: Effect) -> int:
    """By how much a change moves a meter that is set to an amount."""
    if isinstance(effect, MeterAdjusted):
        return effect.after_micros - effect.before_micros
    return 0


def _at_this_moment(state: State, proposal: Proposal) -> Change:
    """What was proposed, with the wagers that came in since left on the meter.

    A proposal to set a meter is one to move it by the difference that two people looked at.
    """
    change_ = proposal.change
    if not isinstance(change_, AdjustMeter):
        return change_
    meter = ledger.meter(ledger.key(change_.link, change_.level))
    now = state.balances.get(meter, 0)
    return replace(change_, to_micros=max(0, now + proposal.by_micros))


def approve(state: State, command: ApproveProposal, request: Request) -> Effect | Refusal:
    """Approve a change as the second person, from another department."""
    proposal = _open(state, command.proposal)
    if isinstance(proposal, Refusal):
        return proposal
    origin = _operator(request)
    at = {"proposal": proposal.id}
    if request.time_micros >= proposal.expires_micros:
        return refuse(Reason.PROPOSAL_EXPIRED, expired_micros=proposal.expires_micros, **at)
    if _person(origin.principal) == _person(proposal.proposer):
        return refuse(Reason.SECOND_PERSON_REQUIRED, proposer=proposal.proposer, **at)
    if origin.department == proposal.department:
        return refuse(Reason.OTHER_DEPARTMENT_REQUIRED, department=origin.department, **at)
    hit = _hit_count(state, proposal.change) != proposal.hit_count
    if hit or _last_change(state, proposal.change) > proposal.since:
        return refuse(Reason.PROPOSAL_OVERTAKEN, link=proposal.link, **at)
    effect = _effect(state, _at_this_moment(state, proposal))
    if isinstance(effect, Refusal):
        return effect
    return replace(effect, approval=Approval(proposal.id, proposal.proposer, origin.principal))


def decline(state: State, command: DeclineProposal, _: Request) -> ProposalDeclined | Refusal:
    """End a proposal."""
    proposal = _open(state, command.proposal)
    return proposal if isinstance(proposal, Refusal) else ProposalDeclined(proposal.id)


def configure_site(state: State, command: ConfigureSite, _: Request) -> SiteConfigured | Refusal:
    """Take over what a site file says; that one person is enough, only at the first start."""
    if state.dual_control and not command.dual_control:
        return refuse(Reason.SECOND_PERSON_REQUIRED, setting="dual_control")
    return SiteConfigured(
        command.dual_control,
        command.day,
        command.voids_by_table,
        sign_digits=command.sign_digits,
        shortest_round_s=command.shortest_round_s,
    )


def note_software(state: State, command: NoteSoftware, _: Request) -> SiteConfigured:
    """Say which release of the software runs from here on; the rest stays as it is."""
    return SiteConfigured(
        state.dual_control,
        state.day,
        state.voids_by_table,
        software=command.software,
        sign_digits=state.sign_digits,
        shortest_round_s=state.shortest_round_s,
    )


def _open(state: State, proposal: int) -> Proposal | Refusal:
    if found := state.proposals.get(proposal):
        return found
    if 1 <= proposal <= state.last_proposal and not lost_proposal(state, proposal):
        return refuse(Reason.PROPOSAL_CLOSED, proposal=proposal)
    return refuse(Reason.UNKNOWN_PROPOSAL, proposal=proposal)


def _person(principal: str) -> str:
    """Who is behind a principal: "accounting:ann" is the same person as "operations:Ann"."""
    return principal.rpartition(":")[2].casefold()


def _operator(request: Request) -> OperatorOrigin:
    if not isinstance(request.origin, OperatorOrigin):
        raise TypeError(f"a change is an operator's, not {request.origin}'s")
    return request.origin


def _effect(state: State, command: Change) -> Effect | Refusal:
    return _EFFECTS[type(command)](state, command)


def _summary(state: State, effect: Effect) -> tuple[str, str]:
    """What a change is about, before and after, for people to read."""
    match effect:
        case MeterAdjusted():
            return dollars(effect.before_micros), dollars(effect.after_micros)
        case FundsTransferred():
            meter = ledger.meter(ledger.key(effect.to_link, effect.to_level))
            before = state.balances.get(meter, 0)
            return dollars(before), dollars(before + dict(effect.postings).get(meter, 0))
        case DualControlSet():
            return _people(state.dual_control), _people(effect.dual_control)
        case ParametersChanged():
            link = state.links[effect.link]
            now = link.next_config or link.config  # with what waits for the resumption already
            return _terms(now.levels, effect.level), _terms(effect.config.levels, effect.level)


def _people(dual_control: bool) -> str:  # noqa: FBT001 - what the setting says
    return "two people make a change" if dual_control else "one person makes a change"


def _terms(levels: tuple[Level, ...], level: str) -> str:
    found = next(candidate for candidate in levels if candidate.id == level)
    limit = dollars(found.limit_micros) if found.limit_micros else "none"
    primary, reserve = rate_text(found.primary_bps), rate_text(found.reserve_bps)
    return f"primary {primary}, reserve {reserve}, limit {limit}"


def _adjust(state: State, command: AdjustMeter) -> MeterAdjusted | Refusal:
    """Set a meter, at the house's cost or gain for a malfunction or a promotion."""
    level = find_level(state, command.link, command.level)
    if isinstance(level, Refusal):
        return level
    link = find_link(state, command.link, "in-service", "suspended")
    if isinstance(link, Refusal):
        return link
    name = ledger.key(command.link, command.level)
    book = Book(state.balances)
    before = book.balance(ledger.meter(name))
    more = command.to_micros - before
    if not more:
        return refuse(Reason.METER_UNCHANGED, link=command.link, level=command.level)
    other = ledger.overflow(name)
    if command.reason == "malfunction" or (command.reason == "promotion" and more > 0):
        other = ledger.house(command.link)
    elif more > book.balance(other):
        return refuse(
            Reason.INSUFFICIENT_FUNDS, account=other, micros=book.balance(other), wanted=more
        )
    if more > 0:
        book.credit_meter(more, other, name, level.limit_micros)
    else:
        book.move(more, other, ledger.meter(name))
    after = book.balance(ledger.meter(name))
    if after == before:  # the limit keeps all of it off
        return refuse(Reason.METER_UNCHANGED, link=command.link, level=command.level)
    return MeterAdjusted(
        command.link,
        command.level,
        before,
        after,
        command.reason,
        command.reference,
        book.postings(),
    )


def _reset(state: State, command: ResetMeter) -> MeterAdjusted | Refusal:
    """Set a meter to its reseed, as an adjustment for that reason."""
    level = find_level(state, command.link, command.level)
    if isinstance(level, Refusal):
        return level
    to = level.reseed_micros
    return _adjust(state, AdjustMeter(command.link, command.level, to, "reset", command.reference))


def _transfer(state: State, command: TransferFunds) -> FundsTransferred | Refusal:
    """Give players' money that lies aside to the players of a meter."""
    source_level = find_level(state, command.link, command.level)
    if isinstance(source_level, Refusal):
        return source_level
    level = find_level(state, command.to_link, command.to_level)
    if isinstance(level, Refusal):
        return level
    target = find_link(state, command.to_link, "in-service", "suspended")
    if isinstance(target, Refusal):
        return target
    account = ledger.overflow if command.pool == "overflow" else ledger.reserve
    source = account(ledger.key(command.link, command.level))
    held = state.balances.get(source, 0)
    if command.amount_micros > held:
        return refuse(
            Reason.INSUFFICIENT_FUNDS, account=source, micros=held, wanted=command.amount_micros
        )
    book = Book(state.balances)
    to = ledger.key(command.to_link, command.to_level)
    book.credit_meter(command.amount_micros, source, to, level.limit_micros)
    # Of its own overflow the limit sends back what the meter does not take.
    moved = held - book.balance(source)
    if not moved:
        return refuse(Reason.METER_UNCHANGED, link=command.to_link, level=command.to_level)
    # A Bad Beat is paid from pots alone, and what pots gave goes to Bad Beats alone.
    funds = [state.links[link].config.pot for link in (command.link, command.to_link)]
    if any(funds) and not all(funds):
        other = command.to_link if funds[0] else command.link
        return refuse(Reason.NOT_A_FUND, link=other)
    return FundsTransferred(
        command.link,
        command.level,
        command.pool,
        command.to_link,
        command.to_level,
        moved,
        command.reference,
        book.postings(),
    )


def _limit(state: State, command: SetLimit) -> ParametersChanged | Refusal:
    """Give a level another limit: above what it starts with, and not below its meter.

    A meter that starts at its limit never progresses, and one that stands above it would be shown
    with a limit that it does not keep.
    """
    level = find_level(state, command.link, command.level)
    if isinstance(level, Refusal):
        return level
    meter = state.balances.get(ledger.meter(ledger.key(command.link, command.level)), 0)
    least = max(level.seed_micros + MICROS_PER_CENT, level.reseed_micros + MICROS_PER_CENT, meter)
    if 0 < command.limit_micros < least:
        return refuse(Reason.BELOW_MINIMUM, limit_micros=command.limit_micros, minimum_micros=least)
    return _parameters(state, command, limit_micros=command.limit_micros)


def _rate(state: State, command: SetRate) -> ParametersChanged | Refusal:
    """Give a level other rates, as far as its regulation leaves that to the operator."""
    level = find_level(state, command.link, command.level)
    if isinstance(level, Refusal):
        return level
    if level.fixed:
        return refuse(Reason.FIXED_BY_REGULATION, link=command.link, clause=level.fixed)
    if command.primary_bps < level.minimum_bps:
        return refuse(
            Reason.BELOW_MINIMUM, primary_bps=command.primary_bps, minimum_bps=level.minimum_bps
        )
    return _parameters(
        state, command, primary_bps=command.primary_bps, reserve_bps=command.reserve_bps
    )


def _set_dual_control(state: State, command: SetDualControl) -> DualControlSet | Refusal:
    """Turn dual control off or on."""
    if command.dual_control == state.dual_control:
        return refuse(Reason.SETTING_UNCHANGED, setting="dual_control")
    return DualControlSet(command.dual_control, command.reference)


def _parameters(
    state: State, command: SetLimit | SetRate, **terms: int
) -> ParametersChanged | Refusal:
    """A suspended link's configuration with other terms for one level."""
    level = find_level(state, command.link, command.level)
    if isinstance(level, Refusal):
        return level
    link = find_link(state, command.link, "suspended")
    if isinstance(link, Refusal):
        return link
    # Changes that wait for the same resumption add up.
    config = link.next_config or link.config
    levels = tuple(
        replace(candidate, **terms) if candidate.id == command.level else candidate
        for candidate in config.levels
    )
    total = sum(candidate.primary_bps + candidate.reserve_bps for candidate in levels)
    if total > BPS_PER_WHOLE:
        return refuse(Reason.ABOVE_MAXIMUM, link=command.link, total_bps=total)
    before = next(each for each in config.levels if each.id == command.level)
    after = next(each for each in levels if each.id == command.level)
    name = ledger.key(command.link, command.level)
    return ParametersChanged(
        command.link,
        command.level,
        replace(config, levels=levels),
        command.reference,
        before=before,
        alarms=(f"{RATE_CHANGED} {name}",) if _rates(before) != _rates(after) else (),
    )


def _rates(level: Level) -> tuple[int, int]:
    return level.primary_bps, level.reserve_bps


# Any: each function takes the change it is listed under, which the type of a dict can't say.
_EFFECTS: dict[type, Callable[[State, Any], Effect | Refusal]] = {
    AdjustMeter: _adjust,
    ResetMeter: _reset,
    TransferFunds: _transfer,
    SetLimit: _limit,
    SetRate: _rate,
    SetDualControl: _set_dual_control,
}
