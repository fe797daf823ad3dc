"""A table's client in plain gRPC: attach, number commands, resend until an answer arrives.

With these five rules, every wager counts exactly once:

1. Number commands 1, 2, 3 and so on from each attachment.
2. When no answer comes, send the same command again with the same number.
3. When a command is refused, look at the reason. Only a refusal with RetryInfo asks for the same
   command again.
4. Remember the range of answers that you received, and send it when you attach. After a backup is
   restored, only the table knows these answers.
5. When you attach, finish a round that is still open before you open another.
"""

import sys
import threading
import time
import uuid
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import grpc

sys.path.insert(0, str(Path(__file__).resolve().parent / "generated"))  # see generate.py

from google.rpc import error_details_pb2, status_pb2
from jackpot.v1 import meter_pb2, meter_pb2_grpc, reason_pb2, table_pb2, table_pb2_grpc

CALL_TIMEOUT_S = 5.0
DEADLINE_S = 60.0
LONGEST_WAIT_S = 1.0
WATCH_S = 30.0  # then start a new watch, because a connection may die unnoticed
BROKEN = (  # the connection failed during the call, and the controller gave no reason
    *(grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED),
    *(grpc.StatusCode.CANCELLED, grpc.StatusCode.UNKNOWN, grpc.StatusCode.INTERNAL),
)
OPTIONS = [
    # Reconnect to a restarted controller within a second.
    *(("grpc.initial_reconnect_backoff_ms", 50), ("grpc.max_reconnect_backoff_ms", 1000)),
    # Ping every ten seconds; drop a dead connection five seconds later.
    *(("grpc.keepalive_time_ms", 10_000), ("grpc.keepalive_timeout_ms", 5_000)),
    *(("grpc.http2.ping_timeout_ms", 5_000), ("grpc.http2.max_pings_without_data", 0)),
]


class Refusal(NamedTuple):
    """The details of a failed call."""

    reason: str  # from ErrorInfo; without ErrorInfo, the status code
    metadata: dict[str, str]  # every value that the text mentions
    again: bool  # True if you may send the same request again
    wait_s: float = 0.0  # how long to wait before you send it again


class Refused(Exception):
    """The controller refused a request. Look at the reason and metadata, never at the text."""

    def __init__(self, refusal, text):
        about = ", ".join(f"{name} {value}" for name, value in sorted(refusal.metadata.items()))
        super().__init__(f"{refusal.reason}: {text}" + (f" ({about})" if about else ""))
        self.reason, self.metadata = refusal.reason, refusal.metadata


class Unreachable(Exception):
    """No answer came in time. The last command may or may not have been carried out: attach again."""


def open_channel(address, ca=None, certificate=None, key=None):
    """Connect over TLS with certificate files, or without files to a controller on this machine."""
    if not ca:
        return grpc.insecure_channel(address, OPTIONS)
    files = [Path(name).read_bytes() for name in (ca, key, certificate)]
    return grpc.secure_channel(address, grpc.ssl_channel_credentials(*files), OPTIONS)


def new_request_id():
    """A UUIDv7: the time in milliseconds, then random bits."""
    millis = int(time.time() * 1000)
    value = (millis << 80) | (0x7 << 76) | (uuid.uuid4().int & ((1 << 76) - 1))
    value = (value & ~(0x3 << 62)) | (0x2 << 62)
    return str(uuid.UUID(int=value))


def meaning_of(reason):
    """The retry class and number use of a reason; None if this client's proto has no such reason."""
    value = reason_pb2.Reason.DESCRIPTOR.values_by_name.get(f"REASON_{reason}")
    return value.GetOptions().Extensions[reason_pb2.meaning] if value else None


def must_attach(reason):
    """Whether to attach before the next command, because this refusal did not use its number."""
    meaning = meaning_of(reason)
    used = (reason_pb2.NUMBER_USE_USED, reason_pb2.NUMBER_USE_USED_IF_READABLE)
    return meaning is None or meaning.number not in used


def read_refusal(error):
    """The details of a failed call. Without details, retry only if the connection failed."""
    for key, value in error.trailing_metadata() or ():
        if key == "grpc-status-details-bin":
            info, retry = error_details_pb2.ErrorInfo(), error_details_pb2.RetryInfo()
            again = False
            for detail in status_pb2.Status.FromString(value).details:
                detail.Unpack(info)
                again = detail.Unpack(retry) or again
            wait_s = retry.retry_delay.ToTimedelta().total_seconds()
            return Refusal(info.reason, dict(info.metadata), again, wait_s)
    return Refusal(error.code().name, {}, error.code() in BROKEN)


def send_until_answered(call, request):
    """Send the same request until an answer or a final refusal arrives."""
    until_s, wait_s = time.monotonic() + DEADLINE_S, 0.05
    while True:
        try:
            return call(request, timeout=CALL_TIMEOUT_S)
        except grpc.RpcError as error:
            refusal = read_refusal(error)
            if not refusal.again:
                raise Refused(refusal, error.details()) from error
            if time.monotonic() > until_s:
                raise Unreachable(error.details()) from error
            if wait_s < LONGEST_WAIT_S <= 2 * wait_s:  # print this only once
                print(f"no answer yet, trying again: {error.details()}", file=sys.stderr)
        time.sleep(max(wait_s, refusal.wait_s))
        wait_s = min(2 * wait_s, LONGEST_WAIT_S)


class Table:
    """Sends one table's commands, and sends heartbeats while the table is attached."""

    def __init__(self, channel, site, table):
        self.channel, self.site, self.table = channel, site, table
        self.epoch = self.number = 0
        self.attached = False  # after FENCED, only a person may decide to attach again
        self.config = None  # the table's configuration, from the answer to Attach
        self.heard = table_pb2.Acknowledged()  # keep this on disk if your client may restart
        self._stub = table_pb2_grpc.TableServiceStub(channel)
        self._meters = meter_pb2_grpc.MeterServiceStub(channel)
        self._closed = threading.Event()
        self._beating = threading.Thread(target=self._beat, daemon=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._closed.set()
        if self._beating.is_alive():
            self._beating.join()

    def attach(self):
        """Attach the table. Send the same request id again until an answer arrives."""
        request = table_pb2.AttachRequest(
            site=self.site,
            table=self.table,
            request_id=new_request_id(),
            acknowledged=self.heard if self.heard.last_sequence else None,
        )
        answer = send_until_answered(self._stub.Attach, request)
        self.epoch, self.number, self.attached = answer.epoch, 0, True
        self.config = answer.config
        if not self._beating.is_alive():
            self._beating.start()
        restored = answer.incarnation != self.heard.incarnation and self.heard.last_sequence
        if answer.incarnation != self.heard.incarnation:  # a backup was restored: start over
            self.heard = table_pb2.Acknowledged(incarnation=answer.incarnation)
        self._hear(answer.sequence, answer.round.number)
        self._finish(answer, "RESTORED" if restored else "TABLE_RESTARTED")
        return answer

    def _finish(self, found, irregularity):
        """Void an open round from an earlier run of the client, because its cards are lost."""
        if found.round.phase in (table_pb2.ROUND_PHASE_OPEN, table_pb2.ROUND_PHASE_LOCKED):
            self.void_round(irregularity)
        elif found.round.phase == table_pb2.ROUND_PHASE_COLLECTED:
            call = found.call.id
            if call and found.call.act != table_pb2.FLOOR_ACT_VOID_ROUND:
                self._outcome_of(call)  # another act; only one call may be open
                call = 0
            while not self.ask_floor_to_void(irregularity, call):
                if self._watch(lambda _: True).may_open_round:  # voided without this call
                    return
                print(f"round {self.heard.round}: the floor did not void it; calling again")
                call = 0

    def open_round(self):
        """Begin a round."""
        answer = self._command("OpenRound", table_pb2.OpenRound())
        self._hear(answer.sequence, answer.round)
        return answer

    def place_wagers(self, wagers):
        """Place all the wagers or none. Light the lamps only after this returns."""
        return self._command("PlaceWagers", table_pb2.PlaceWagers(wagers=wagers))

    def lock_out(self):
        """End betting."""
        return self._command("LockOut", table_pb2.LockOut())

    def chips_of(self, wagers):
        """How many chips the wagers have on each bet. Electronic wagers have none."""
        chips = {
            bet.bet
            for link in self.config.links
            for bet in link.bets
            if bet.medium == meter_pb2.BET_MEDIUM_CHIPS
        }
        return Counter(wager.bet for wager in wagers if wager.bet in chips)

    def confirm_collection(self, chips):
        """Send the dealer's count of chips for each bet; not needed if LockOut says `collected`.

        Never send the wagers from LockOut's answer: the controller compares the count with them.
        """
        return self._command("ConfirmCollection", table_pb2.ConfirmCollection(chips=chips))

    def settle(self, hands, dealer, community=()):
        """Send every hand. The answer lists the awards in payment order."""
        cards = table_pb2.Settle(hands=hands, dealer=dealer, community=community)
        return self._command("Settle", cards)

    def void_round(self, irregularity):
        """Void the round. After the collection, only the floor can do this."""
        return self._command("VoidRound", table_pb2.VoidRound(irregularity=irregularity))

    def ask_floor_to_void(self, irregularity, call=0):
        """Call the floor unless a call is open, and wait. True if the floor voided the round."""
        asked = table_pb2.CallFloor(
            act=table_pb2.FLOOR_ACT_VOID_ROUND, round=self.heard.round, irregularity=irregularity
        )
        call = call or self._command("CallFloor", asked).call
        print(f"round {self.heard.round}: waiting for the floor to answer call {call}")
        return self._outcome_of(call) == table_pb2.CALL_OUTCOME_APPROVED

    def _outcome_of(self, call):
        """Wait until a call is answered or closed for another reason."""
        return self._watch(lambda seen: seen.call.id == call and seen.call.outcome).call.outcome

    def wait_until_open(self):
        """Wait until the next round may open; an award's paperwork can keep it from opening."""
        told = set()

        def may_open(seen):
            why = Refusal(seen.shut_reason, dict(seen.shut_metadata), again=False)
            if seen.shut_reason and seen.shut_reason not in told:
                told.add(seen.shut_reason)
                print(Refused(why, "waiting until the next round may open"))
            return seen.may_open_round

        self._watch(may_open)

    def watch_meters(self):
        """Stream the meters, now and at each change. When the stream ends, call this again."""
        return self._meters.WatchMeters(meter_pb2.WatchMetersRequest(site=self.site))

    def _watch(self, is_ready):
        """Watch the table until is_ready accepts a frame. People may take minutes to act."""
        watching = table_pb2.WatchTableRequest(site=self.site, table=self.table, epoch=self.epoch)
        while True:
            try:
                for frame in self._stub.WatchTable(watching, timeout=WATCH_S):
                    if not frame.progress and is_ready(frame):
                        return frame
            except grpc.RpcError as error:
                refusal = read_refusal(error)
                if not refusal.again:
                    self.attached = self.attached and not must_attach(refusal.reason)
                    raise Refused(refusal, error.details()) from error
            time.sleep(LONGEST_WAIT_S)

    def _beat(self):
        """Send heartbeats as often as the table's configuration asks."""
        interval_s = self.config.heartbeat_interval.ToTimedelta().total_seconds()
        while interval_s and not self._closed.wait(interval_s):
            if self.attached:
                alive = table_pb2.HeartbeatRequest(
                    site=self.site, table=self.table, epoch=self.epoch
                )
                with suppress(grpc.RpcError):  # the next command handles the same error
                    self._stub.Heartbeat(alive, timeout=CALL_TIMEOUT_S)

    def _hear(self, sequence, round_=None):
        """Remember the sequence and the round of an answer."""
        self.heard.first_sequence = self.heard.first_sequence or sequence
        self.heard.last_sequence = max(self.heard.last_sequence, sequence)
        if round_ is not None:
            self.heard.round = round_

    def _command(self, rpc, command):
        self.number += 1
        which = table_pb2.CommandId(
            site=self.site, table=self.table, epoch=self.epoch, number=self.number
        )
        request = getattr(table_pb2, f"{rpc}Request")(id=which, command=command)
        try:
            answer = send_until_answered(getattr(self._stub, rpc), request)
        except Refused as refusal:
            self.attached = self.attached and not must_attach(refusal.reason)
            raise
        except Unreachable:
            self.attached = False
            raise
        self._hear(answer.sequence)
        return answer
